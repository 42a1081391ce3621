// Package blocks keeps what validation campaigns measured as tables of one row a
// block: small enough for a repository, and all that is needed to judge them
// again. Values are bit/s.
package blocks

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Row is one block of one campaign.
type Row struct {
	Campaign string
	Block    int       // from 1
	Start    time.Time // of the block's first trial, UTC
	Order    []string  // arms, first to last
	// Values has one value for each arm of the table; not a number where the
	// arm has none.
	Values []float64
}

// Whole says that every arm has a value.
func (r Row) Whole() bool { return !slices.ContainsFunc(r.Values, math.IsNaN) }

// Table is what campaigns of one kind measured, sorted by campaign and block.
type Table struct {
	Arms []string
	Rows []Row
}

// Column returns the place of an arm, or an error.
func (t Table) Column(arm string) (int, error) {
	if i := slices.Index(t.Arms, arm); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("the table has no arm %q", arm)
}

// Campaigns returns the names of the campaigns that have rows.
func (t Table) Campaigns() []string {
	var names []string
	for _, r := range t.Rows {
		if !slices.Contains(names, r.Campaign) {
			names = append(names, r.Campaign)
		}
	}
	return names
}

// Of returns the rows of one campaign.
func (t Table) Of(campaign string) []Row {
	var rows []Row
	for _, r := range t.Rows {
		if r.Campaign == campaign {
			rows = append(rows, r)
		}
	}
	return rows
}

// Replace puts rows in the place of a campaign's, unless those are more: a
// results directory that was begun anew does not push out a whole one.
func (t *Table) Replace(campaign string, rows []Row) {
	if len(rows) < len(t.Of(campaign)) {
		return
	}
	t.Rows = slices.DeleteFunc(t.Rows, func(r Row) bool { return r.Campaign == campaign })
	t.Rows = append(t.Rows, rows...)
	slices.SortFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Campaign, b.Campaign), cmp.Compare(a.Block, b.Block))
	})
}

// leading are the columns before the arms'.
var leading = []string{"campaign", "block", "start", "order"}

// timeFormat is RFC 3339 with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// Write prints the table as CSV; a missing value is empty.
func (t Table) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(slices.Concat(leading, t.Arms)); err != nil {
		return fmt.Errorf("writing blocks: %w", err)
	}
	for _, r := range t.Rows {
		record := []string{r.Campaign, strconv.Itoa(r.Block), r.Start.UTC().Format(timeFormat), strings.Join(r.Order, " ")}
		for _, v := range r.Values {
			if math.IsNaN(v) {
				record = append(record, "")
				continue
			}
			record = append(record, strconv.FormatFloat(v, 'f', 0, 64))
		}
		if err := out.Write(record); err != nil {
			return fmt.Errorf("writing blocks: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

// Read reads what Write wrote. Values that are no throughput, being zero,
// negative or not finite, are errors with their line.
func Read(r io.Reader) (Table, error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return Table{}, fmt.Errorf("reading blocks: %w", err)
	}
	if len(header) < len(leading)+2 || !slices.Equal(header[:len(leading)], leading) {
		return Table{}, fmt.Errorf("reading blocks: the first line must be %s and two arms or more", strings.Join(leading, ","))
	}
	t := Table{Arms: header[len(leading):]}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return Table{}, fmt.Errorf("reading blocks: %w", err)
		}
		row, err := parse(record)
		if err != nil {
			line, _ := in.FieldPos(0)
			return Table{}, fmt.Errorf("reading blocks: line %d: %w", line, err)
		}
		t.Rows = append(t.Rows, row)
	}
}

// ReadFile reads a table from a file; a file that is not there is fs.ErrNotExist.
func ReadFile(name string) (Table, error) {
	f, err := os.Open(name)
	if err != nil {
		return Table{}, fmt.Errorf("reading blocks: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	t, err := Read(f)
	if err != nil {
		return Table{}, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func parse(record []string) (Row, error) {
	block, err := strconv.Atoi(record[1])
	if err != nil || block < 1 {
		return Row{}, fmt.Errorf("%q is no block", record[1])
	}
	start, err := time.Parse(time.RFC3339, record[2])
	if err != nil {
		return Row{}, fmt.Errorf("%q is no time", record[2])
	}
	row := Row{Campaign: record[0], Block: block, Start: start, Order: strings.Fields(record[3])}
	for _, text := range record[len(leading):] {
		v := math.NaN()
		if text != "" {
			if v, err = strconv.ParseFloat(text, 64); err != nil || !(v > 0) || math.IsInf(v, 0) {
				return Row{}, fmt.Errorf("%q is no throughput", text)
			}
		}
		row.Values = append(row.Values, v)
	}
	return row, nil
}
