package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
)

// csvHead names the columns. Values are in the metric's own unit.
var csvHead = []string{
	"plan", "cell", "scenario", "variant", "block", "position", "attempt", "status", "reason",
	"metric", "unit", "better", "scale", "value", "outlier", "marks", "partial",
}

// CSV writes tidy data: one row per sample; one with a reason and without a
// value for each metric that an ok trial lacks; then one row without a metric
// per attempt that gave none and per trial that nobody attempted. Marks are
// separated by blanks.
func CSV(w io.Writer, a analysis.Analysis) error {
	out := csv.NewWriter(w)
	rows := [][]string{csvHead}
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			rows = append(rows, sampleRows(a.Plan.Hash, c, m)...)
		}
		rows = append(rows, gapRows(a.Plan.Hash, c)...)
	}
	rows = append(rows, lossRows(a)...)
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

func sampleRows(hash string, c analysis.Cell, m analysis.Metric) [][]string {
	var rows [][]string
	for _, arm := range m.Arms {
		for _, s := range arm.Samples {
			rows = append(rows, []string{
				hash, c.ID, c.Scenario, arm.Variant, strconv.Itoa(s.Block), strconv.Itoa(s.Position), strconv.Itoa(s.Attempt), "ok", "",
				m.Name, m.Unit, string(m.Better), string(m.Scale), strconv.FormatFloat(s.Value, 'g', -1, 64),
				strconv.FormatBool(s.Outlier), strings.Join(s.Marks, " "), s.Partial,
			})
		}
	}
	return rows
}

func gapRows(hash string, c analysis.Cell) [][]string {
	var rows [][]string
	for _, g := range c.Gaps {
		rows = append(rows, []string{
			hash, c.ID, c.Scenario, g.Variant, strconv.Itoa(g.Block), strconv.Itoa(g.Position), strconv.Itoa(g.Attempt), "ok", g.Reason,
			g.Metric, "", "", "", "", "", "", "",
		})
	}
	return rows
}

func lossRows(a analysis.Analysis) [][]string {
	scenario := map[string]string{}
	for _, c := range a.Plan.Cells {
		scenario[c.ID] = c.Scenario
	}
	row := func(cell, variant string, block int, attempt, status, reason string) []string {
		return []string{a.Plan.Hash, cell, scenario[cell], variant, strconv.Itoa(block), "", attempt, status, reason, "", "", "", "", "", "", "", ""}
	}
	var rows [][]string
	for _, d := range a.Dropped {
		rows = append(rows, row(d.Cell, d.Variant, d.Block, strconv.Itoa(d.Attempt), string(d.Status), d.Reason))
	}
	for _, m := range a.Missing {
		rows = append(rows, row(m.Cell, m.Variant, m.Block, "", "missing", a.WhyMissing()))
	}
	return rows
}
