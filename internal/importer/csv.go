package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// csvColumns are the columns that a table must have, and may have.
var (
	csvColumns  = []string{"block", "variant", "scenario", "metric", "value", "unit"}
	csvOptional = []string{"better", "scale", "margin", "reason"}
)

// noValue are texts that stand for a value that is not there.
var noValue = []string{"", "-", "–", "na", "n/a", "nan", "null", "none", "nil"}

func readCSV(s *source, o Options) (*data, error) {
	files, err := s.files(".csv", ".tsv")
	if err != nil {
		return nil, err
	}
	t := csvTable{
		source: s, drafts: newDrafts(), declared: map[[2]string]*csvMetric{}, seen: map[csvPlace]csvLine{},
		variants: names{}, scenarios: names{}, metrics: names{},
	}
	for _, file := range files {
		if err := t.read(file); err != nil {
			return nil, err
		}
	}
	if err := t.finish(); err != nil {
		return nil, err
	}
	name := path.Base(strings.TrimSuffix(files[0], path.Ext(files[0])))
	if s.only == "" {
		name = path.Base(s.path)
	}
	return t.drafts.data(name)
}

// csvTable is what one or more files say together.
type csvTable struct {
	source                       *source
	drafts                       *drafts
	rows                         []csvRow
	declared                     map[[2]string]*csvMetric // by scenario and metric
	seen                         map[csvPlace]csvLine
	variants, scenarios, metrics names
}

// csvPlace is what a row gives the value of.
type csvPlace struct {
	key
	metric string
}

// csvLine is where something is said.
type csvLine struct {
	file string
	line int
}

// csvRow is a value in its metric's unit; absent says why there is none.
type csvRow struct {
	csvPlace
	value  float64
	absent string
	csvLine
}

// csvMetric is what rows say of a metric, until all are read.
type csvMetric struct {
	result.Metric
	hasScale, hasMargin bool
	allPositive         bool
	margin              csvMargin
	csvLine             // of the first row
}

func (t *csvTable) problem(at csvLine, fix, format string, args ...any) error {
	return t.source.problem(at.file, at.line, fix, format, args...)
}

func (t *csvTable) read(file string) error {
	content, err := t.source.read(file)
	if err != nil {
		return err
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	r := csv.NewReader(bytes.NewReader(content))
	r.Comma, r.TrimLeadingSpace, r.ReuseRecord, r.FieldsPerRecord = separator(content), true, true, -1
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return t.problem(csvLine{file, 1}, "begin it with a line block,variant,scenario,metric,value,unit", "the table is empty")
	}
	if err != nil {
		return t.syntax(file, err)
	}
	columns, err := t.header(file, header)
	if err != nil {
		return err
	}
	width := len(header)
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return t.syntax(file, err)
		}
		line, _ := r.FieldPos(0)
		at := csvLine{file, line}
		if len(record) != width {
			return t.problem(at, "give every line as many fields as the header; put a field with a separator in it in double quotes",
				"%d fields, and the header has %d", len(record), width)
		}
		if err := t.row(at, columns, record); err != nil {
			return err
		}
	}
}

// separator is the one of comma, semicolon and tab that the first line has
// most of.
func separator(content []byte) rune {
	first, _, _ := bytes.Cut(content, []byte("\n"))
	best, most := ',', bytes.Count(first, []byte(","))
	for _, other := range []rune{';', '\t'} {
		if n := bytes.Count(first, []byte(string(other))); n > most {
			best, most = other, n
		}
	}
	return best
}

func (t *csvTable) syntax(file string, err error) error {
	line := 0
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		line, err = parse.Line, parse.Err
	}
	return t.problem(csvLine{file, line}, "put a field that has double quotes in it in double quotes, and double those inside", "%v", err)
}

// header returns the column of each name.
func (t *csvTable) header(file string, header []string) (map[string]int, error) {
	at := csvLine{file, 1}
	columns := map[string]int{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(csvColumns, name) && !slices.Contains(csvOptional, name) {
			return nil, t.problem(at, "take it away; columns are "+strings.Join(csvColumns, ", ")+", and, where wanted, "+strings.Join(csvOptional, ", "),
				"there is no column %q", name)
		}
		if _, twice := columns[name]; twice {
			return nil, t.problem(at, "name every column once", "the column %s is there twice", name)
		}
		columns[name] = i
	}
	for _, name := range csvColumns {
		if _, ok := columns[name]; !ok {
			return nil, t.problem(at, "begin the table with a line "+strings.Join(csvColumns, ",")+" in any order", "the column %s is missing", name)
		}
	}
	return columns, nil
}

func (t *csvTable) row(at csvLine, columns map[string]int, record []string) error {
	field := func(name string) string {
		if i, ok := columns[name]; ok {
			return strings.TrimSpace(record[i])
		}
		return ""
	}
	if len(t.rows) >= maxTrials {
		return t.problem(at, "split the table", "it has more than %d lines", maxTrials)
	}
	block, err := strconv.Atoi(field("block"))
	if err != nil || block < 1 || block > math.MaxInt32 {
		return t.problem(at, "number the blocks 1, 2, 3 …; a block is one repetition", "block %q is no number from 1", field("block"))
	}
	row := csvRow{csvPlace: csvPlace{key: key{block: block}}, csvLine: at}
	for _, part := range []struct {
		column string
		known  names
		into   *string
	}{{"variant", t.variants, &row.variant}, {"scenario", t.scenarios, &row.cell}, {"metric", t.metrics, &row.metric}} {
		if *part.into, err = part.known.of(field(part.column)); err != nil {
			return t.problem(at, "use letters, digits and any of . _ = , + @ -", "%s %v", part.column, err)
		}
	}
	if first, again := t.seen[row.csvPlace]; again {
		return t.problem(at, "give every repetition its own block",
			"%s of %s, %s in block %d is already on line %d of %s", row.metric, row.variant, row.cell, block, first.line, path.Base(first.file))
	}
	t.seen[row.csvPlace] = at
	factor, err := t.declare(at, row, field)
	if err != nil {
		return err
	}
	if text := field("value"); slices.Contains(noValue, strings.ToLower(text)) {
		row.absent = field("reason")
		if row.absent == "" {
			row.absent = "the source has no value of it"
		}
	} else if row.value, err = strconv.ParseFloat(text, 64); err != nil || math.IsInf(row.value, 0) {
		return t.problem(at, "write numbers like 9.41e9, with a point; leave the field empty where nothing was measured", "value %q is no finite number", text)
	} else {
		row.value *= factor
		m := t.declared[[2]string{row.cell, row.metric}]
		m.allPositive = m.allPositive && row.value > 0
	}
	t.rows = append(t.rows, row)
	return nil
}

// declare notes what a row says of its metric, and returns the factor of its
// unit. What earlier rows of the same scenario say must agree.
func (t *csvTable) declare(at csvLine, row csvRow, field func(string) string) (float64, error) {
	if field("unit") == "" {
		return 0, t.problem(at, "give the unit, such as bit/s, s, bytes, percent or cores", "the unit is empty")
	}
	u := unitOf(field("unit"))
	var err error
	this := csvMetric{Metric: result.Metric{Name: row.metric, Unit: u.name}, csvLine: at, allPositive: true}
	for _, m := range common {
		if m.Name == row.metric && m.Unit == u.name {
			this.Metric, this.hasScale, this.hasMargin = m, true, true
		}
	}
	if text := strings.ToLower(field("better")); text != "" {
		this.Better = result.Better(text)
	} else if this.Better == "" {
		this.Better = betterOf(u.name)
	}
	if this.Better != result.Higher && this.Better != result.Lower {
		return 0, t.problem(at, "add a column better with higher or lower", "whether more %s is better is not known: better is %q", row.metric, field("better"))
	}
	if text := strings.ToLower(field("scale")); text != "" {
		if s := result.Scale(text); s != result.Ratio && s != result.Difference {
			return 0, t.problem(at, "write ratio for values that are above 0, difference for those that can be 0 or negative", "scale is %q", text)
		} else if this.hasScale && s != this.Scale && field("margin") == "" {
			this.hasMargin = false // the usual one is meant for the usual scale
		}
		this.Scale, this.hasScale = result.Scale(text), true
	}
	if text := field("margin"); text != "" {
		if this.margin, err = marginOf(text, field("unit"), u.factor); err != nil {
			return 0, t.problem(at, "write a fraction such as 0.03 or 3%, or an amount in the unit on the scale difference", "margin %q is no number from 0", text)
		}
		this.hasMargin = true
	}
	return u.factor, t.agree(at, row, this)
}

// agree compares a declaration with the first one of the scenario.
func (t *csvTable) agree(at csvLine, row csvRow, this csvMetric) error {
	place := [2]string{row.cell, row.metric}
	first, known := t.declared[place]
	if !known {
		t.declared[place] = &this
		return nil
	}
	for _, part := range []struct {
		what, now, then string
	}{
		{"unit", this.Unit, first.Unit}, {"better", string(this.Better), string(first.Better)},
		{"scale", string(this.Scale), string(first.Scale)}, {"margin", this.margin.text, first.margin.text},
	} {
		if part.now != part.then {
			return t.problem(at, "give the metric one unit, direction, scale and margin in a scenario, or another name",
				"the %s of %s in %s is %q, and on line %d of %s it is %q", part.what, row.metric, row.cell, part.now, first.line, path.Base(first.file), part.then)
		}
	}
	return nil
}

// csvMargin is a margin as it is written, until the scale is known.
type csvMargin struct {
	text    string // with its unit
	number  float64
	percent bool
	factor  float64 // of the unit
}

// marginOf reads a number from 0, or a percentage.
func marginOf(text, unit string, factor float64) (csvMargin, error) {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return csvMargin{}, errors.New("no number from 0")
	}
	return csvMargin{text + " " + unit, x, percent, factor}, nil
}

// on returns the margin on a scale: a fraction, or an amount in the unit of
// results.
func (m csvMargin) on(s result.Scale) float64 {
	switch {
	case s == result.Difference:
		return m.number * m.factor
	case m.percent:
		return m.number / 100
	}
	return m.number
}

// defaultMargin is that of a ratio of which nobody said anything.
const defaultMargin = 0.05

// finish settles the metrics, which takes all rows, and makes the trials.
func (t *csvTable) finish() error {
	for _, row := range t.rows { // in their order, so that the first problem is always the same
		m := t.declared[[2]string{row.cell, row.metric}]
		if !m.hasScale {
			m.hasScale, m.Scale = true, result.Difference
			if m.allPositive && m.Unit != "percent" {
				m.Scale = result.Ratio
			}
		}
		if m.margin.text != "" {
			m.Margin = m.margin.on(m.Scale)
		} else if !m.hasMargin {
			if m.Scale == result.Difference {
				return t.problem(m.csvLine, "add a column margin with the smallest difference that matters, in the unit of the value",
					"%s in %s can be 0 or negative, and has no margin", row.metric, row.cell)
			}
			m.hasMargin, m.Margin = true, defaultMargin
		}
		d := t.drafts.at(row.key)
		if row.absent != "" {
			d.lack(row.metric, row.absent)
			continue
		}
		d.add(m.Metric, row.value, "")
	}
	return nil
}
