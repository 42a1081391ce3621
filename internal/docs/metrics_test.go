package docs_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
)

// Every metric that a scenario registers is explained by a row of
// docs/results.md, and says there what it is.
func TestMetricsHaveRows(t *testing.T) {
	rows := metricRows(read(t, filepath.Join(root, "docs/results.md")))
	if len(rows) == 0 {
		t.Fatal("there are no rows")
	}
	seen := map[string]bool{}
	for _, s := range scenario.All() {
		for _, m := range slices.Concat(s.Metrics, s.Details()) {
			if seen[m.Name] {
				continue
			}
			seen[m.Name] = true
			i := slices.IndexFunc(rows, func(r metricRow) bool { return r.explains(m.Name) })
			switch {
			case i < 0:
				t.Errorf("docs/results.md has no row for %s (%s, %s): %s", m.Name, s.Name, m.Unit, m.Help)
			case !rows[i].says(m):
				t.Errorf("docs/results.md says of %s: %v; it is in %s, and %s is better on the scale %s", m.Name, rows[i].cells, m.Unit, m.Better, m.Scale)
			}
		}
	}
}

// metricRow is a row of a table of metrics.
type metricRow struct {
	names []string
	cells []string // after the first: unit, better, scale, where the table has them
}

// capitals stand for any word in the name of a metric.
var capitals = regexp.MustCompile(`[A-Z]+`)

func (r metricRow) explains(name string) bool {
	return slices.ContainsFunc(r.names, func(n string) bool {
		pattern := "^" + capitals.ReplaceAllString(regexp.QuoteMeta(n), ".+") + "$"
		return regexp.MustCompile(pattern).MatchString(name)
	})
}

// says tells whether the row has the metric's unit, direction and scale. Rows of
// several metrics may have several units.
func (r metricRow) says(m result.Metric) bool {
	if len(r.cells) < 5 {
		return true // a table of details, which have these in common
	}
	return slices.Contains(strings.Split(r.cells[0], ", "), m.Unit) && r.cells[1] == string(m.Better) && r.cells[2] == string(m.Scale)
}

var quotedName = regexp.MustCompile("`([^`]+)`")

// metricRows reads the tables between the heading of metrics and the next one
// of its rank.
func metricRows(page string) []metricRow {
	_, section, _ := strings.Cut(page, "\n## Metrics\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []metricRow
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) < 2 {
			continue
		}
		r := metricRow{}
		for _, cell := range cells[1:] {
			r.cells = append(r.cells, strings.TrimSpace(cell))
		}
		var written []string
		for _, m := range quotedName.FindAllStringSubmatch(cells[0], -1) {
			written = append(written, m[1])
		}
		r.names = spelledOut(written)
		rows = append(rows, r)
	}
	return rows
}

// spelledOut completes names that a row abbreviates: "a-p50", "-mean" are a-p50
// and a-mean; "a-", "b-p50" are a-p50 and b-p50.
func spelledOut(written []string) []string {
	var whole, beginnings, ends []string
	for _, w := range written {
		switch {
		case strings.HasPrefix(w, "-"):
			ends = append(ends, w[1:])
		case strings.HasSuffix(w, "-"):
			beginnings = append(beginnings, w)
		default:
			whole = append(whole, w)
		}
	}
	if len(beginnings)+len(ends) == 0 || len(whole) == 0 {
		return whole
	}
	cut := strings.LastIndex(whole[0], "-") + 1
	beginnings, ends = append(beginnings, whole[0][:cut]), append(ends, whole[0][cut:])
	var names []string
	for _, beginning := range beginnings {
		for _, end := range ends {
			names = append(names, beginning+end)
		}
	}
	return append(names, whole[1:]...)
}
