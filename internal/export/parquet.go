package export

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetRows is how many rows are in memory before they are written as a row
// group, and parquetBatch how many are handed over at once.
const (
	parquetRows  = 1 << 16
	parquetBatch = 1 << 10
)

// Parquet writes the tidy table as Apache Parquet with typed columns, pages of
// Zstandard, and the schema's version, the campaign and the plan's hash in the
// file's metadata. The same results give the same bytes.
func Parquet(ctx context.Context, w io.Writer, s Source, o Options) (outcome Outcome, err error) {
	p := s.Analysis.Plan
	out := parquet.NewGenericWriter[Row](w,
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(parquetRows),
		parquet.CreatedBy("cnibench", "1", "0"), // of this writer, not of the program: bytes do not depend on a build
		parquet.KeyValueMetadata("cnibench.schema", TableSchema),
		parquet.KeyValueMetadata("cnibench.campaign", valid(p.Name)),
		parquet.KeyValueMetadata("cnibench.plan", valid(p.Hash)),
	)
	batch := make([]Row, 0, parquetBatch)
	flush := func() error {
		if _, err := out.Write(batch); err != nil {
			return fmt.Errorf("writing Parquet: %w", err)
		}
		batch = batch[:0]
		return ctx.Err()
	}
	for row := range s.rows(o.Only) {
		outcome.count(row)
		if batch = append(batch, row.valid()); len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return outcome, err
			}
		}
	}
	if err := flush(); err != nil {
		return outcome, err
	}
	if err := out.Close(); err != nil {
		return outcome, fmt.Errorf("writing Parquet: %w", err)
	}
	return outcome, nil
}

// valid makes every text UTF-8, which Parquet's strings have to be.
func (r Row) valid() Row {
	for _, text := range []*string{
		&r.Campaign, &r.Plan, &r.Base, &r.Variant, &r.Entry, &r.Plugin, &r.Version, &r.Scenario, &r.Cell, &r.Parameters, &r.Status,
		&r.Reason, &r.Metric, &r.Group, &r.Unit, &r.Better, &r.Scale, &r.Partial, &r.Marks, &r.Raw,
	} {
		*text = valid(*text)
	}
	return r
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
