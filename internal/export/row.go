package export

import "time"

// TableSchema names the columns of the tidy table.
const TableSchema = "cnibench.io/table/v1"

// Row is one line of the tidy table, and its fields are the columns, in their
// order: the first word of a tag is the column's name. CSV and Parquet have
// the same. A field that is nil or an empty text is no value: NULL in Parquet,
// nothing between two commas in CSV.
//
// What is known of the campaign, the variant and the cell is repeated in every
// row, so that tables of several campaigns can be put under each other.
type Row struct {
	Campaign string     `parquet:"campaign,dict"`
	Run      *time.Time `parquet:"run,timestamp(microsecond)"` // when it began; tells runs of one plan apart
	Plan     string     `parquet:"plan,dict"`                  // hash
	Base     string     `parquet:"base,dict,optional"`         // the variant that the others are compared with

	Block        int32 `parquet:"block"`
	Position     int32 `parquet:"position"`      // of the variant in its block, from 1
	CellPosition int32 `parquet:"cell_position"` // of the cell in the variant's turn, from 1

	Variant string `parquet:"variant,dict"`
	Entry   string `parquet:"entry,dict,optional"`
	Plugin  string `parquet:"plugin,dict,optional"`
	Version string `parquet:"version,dict,optional"`

	Scenario   string `parquet:"scenario,dict"`
	Cell       string `parquet:"cell,dict"`
	Parameters string `parquet:"parameters,json,dict"` // a JSON object of texts

	Attempt *int32 `parquet:"attempt"`     // the one that decides; nil: never attempted
	Status  string `parquet:"status,dict"` // ok, failed, invalid, unsupported or missing
	Reason  string `parquet:"reason,dict,optional"`

	Metric  string   `parquet:"metric,dict,optional"`
	Group   string   `parquet:"metric_group,dict,optional"`
	Value   *float64 `parquet:"value"`
	Unit    string   `parquet:"unit,dict,optional"`
	Better  string   `parquet:"better,dict,optional"`
	Scale   string   `parquet:"scale,dict,optional"`
	Margin  *float64 `parquet:"margin"`     // that verdicts use
	Primary *bool    `parquet:"is_primary"` // the plan declared the metric
	Outlier *bool    `parquet:"outlier"`
	Partial string   `parquet:"partial,dict,optional"`
	Marks   string   `parquet:"marks,dict,optional"` // of the trial, separated by blanks

	Started     *time.Time `parquet:"started,timestamp(microsecond)"`
	Ended       *time.Time `parquet:"ended,timestamp(microsecond)"`
	WindowStart *time.Time `parquet:"window_start,timestamp(microsecond)"`
	WindowEnd   *time.Time `parquet:"window_end,timestamp(microsecond)"`
	Raw         string     `parquet:"raw,optional"` // directory of the evidence, in the results directory
}
