package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/forecast"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// beforehand is what is known about noise and time before anything runs, and
// where from.
type beforehand struct {
	noise    forecast.Noise
	given    bool // as a percentage
	costs    forecast.Costs
	source   string    // of measured figures
	measured plan.Plan // that the source is of
}

// readNoise understands --noise: a percentage, the results of an A/A campaign,
// or nothing.
func readNoise(text string, d design) (beforehand, error) {
	b := beforehand{noise: forecast.Noise{Ratio: forecast.PlanningNoise}, costs: forecast.AssumedCosts(d.plan)}
	switch {
	case text == "":
		return b, nil
	case strings.HasSuffix(text, "%"):
		number := strings.TrimSpace(strings.TrimSuffix(text, "%"))
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(x) || x <= 0 || x >= 100 {
			return b, usage(fmt.Errorf("--noise %s is no percentage above 0%% and below 100%%", text), "write it as --noise 2.8%")
		}
		b.noise.Ratio, b.given = x/100, true
		return b, nil
	}
	return b, b.measure(text, d)
}

// measure takes noise and costs from a results directory.
func (b *beforehand) measure(path string, d design) error {
	dir, err := result.Open(path)
	if err != nil {
		return usage(err, "give a directory that `cnibench run` wrote, or a percentage such as --noise 2.8%")
	}
	a, journal, err := analyze(dir)
	if err != nil {
		return err
	}
	if b.noise, err = forecast.Measured(a); errors.Is(err, forecast.ErrNoTwins) {
		return usage(fmt.Errorf("--noise %s: %w", path, err), "measure with `cnibench calibrate`, or add `aa: NAME` below `analysis` of your campaign")
	} else if err != nil {
		return err
	}
	b.noise.Ratio, b.source, b.measured = forecast.PlanningNoise, path, a.Plan
	b.costs = forecast.MeasuredCosts(d.plan, a.Plan, journal.Trials, trialDuration(d.scenarios, a.Plan.Cluster))
	return nil
}

// forecastLines say how large the family is, how long the plan takes and what
// it is likely to find.
func forecastLines(d design, known beforehand) (string, error) {
	w := &strings.Builder{}
	writeFamily(w, d.plan)
	writeTime(w, d, known)
	if d.plan.Family() == 0 || d.plan.Undecidable() != "" {
		return w.String(), nil
	}
	metrics, err := primaryMetrics(d)
	if err != nil {
		return "", err
	}
	findings, err := forecast.Find(d.plan, metrics, known.noise)
	if err != nil {
		return "", err
	}
	writeNoise(w, d, known, metrics)
	for _, f := range findings {
		writeFinding(w, f, known.source)
	}
	return w.String(), nil
}

func writeFamily(w *strings.Builder, p plan.Plan) {
	if p.Family() == 0 {
		return
	}
	variants := len(p.Variants) - 1
	if p.Analysis.AA != nil {
		variants--
	}
	writeLine(w, "family", fmt.Sprintf("%s (%s, %s against %s): %d blocks are the least for a verdict",
		prose.Plural(p.Family(), "comparison"), prose.Plural(len(p.Analysis.Primary), "primary metric"), prose.Plural(variants, "variant"), p.Analysis.Base, p.LeastBlocks()))
}

func writeTime(w *strings.Builder, d design, known beforehand) {
	durations := forecast.Durations(d.plan, known.costs, trialDuration(d.scenarios, d.plan.Cluster))
	for i, t := range durations {
		text := fmt.Sprintf("%s, %s of it load", span(t.Total), clock(t.Load))
		if t.Clusters > 0 {
			text += fmt.Sprintf("; %s made", prose.Plural(t.Clusters, "cluster is", "clusters are"))
		}
		if len(durations) > 1 {
			text = fmt.Sprintf("%d blocks: %s", t.Blocks, text)
		}
		writeLine(w, firstOnly(i, "time"), text)
	}
	basis := "what is not load is assumed, as small labs and clusters take; nothing is repeated"
	switch {
	case known.costs.Measured:
		basis = "as trials and clusters took in " + known.source + "; nothing is repeated"
	case d.plan.Cluster.Command != nil:
		basis += "; your commands' own time comes on top"
	}
	writeLine(w, "", basis)
}

// span writes how long something takes: "about 4m10s", "4m to 12m".
func span(c forecast.Cost) string {
	low, high := clock(roughly(c.Low)), clock(roughly(c.High))
	if low == high {
		return "about " + low
	}
	return low + " to " + high
}

// clock writes a duration without the zeros at its end.
func clock(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// roughly rounds to what an estimate is worth.
func roughly(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Hour:
		return d.Round(time.Hour)
	case d >= 10*time.Minute:
		return d.Round(time.Minute)
	case d >= time.Minute:
		return d.Round(10 * time.Second)
	}
	return d.Round(time.Second)
}

// primaryMetrics lists what verdicts are about, with the margins in force.
func primaryMetrics(d design) ([]forecast.Metric, error) {
	var metrics []forecast.Metric
	for _, name := range d.plan.Analysis.Primary {
		cut := strings.LastIndexByte(name, '/')
		i := slices.IndexFunc(d.plan.Cells, func(c plan.Cell) bool { return cut >= 0 && c.ID == name[:cut] })
		if i < 0 {
			return nil, fmt.Errorf("primary %s is of no cell of the plan", name)
		}
		s, err := d.scenarios.Find(d.plan.Cells[i].Scenario)
		if err != nil {
			return nil, err
		}
		j := slices.IndexFunc(s.Metrics, func(m result.Metric) bool { return m.Name == name[cut+1:] })
		if j < 0 {
			continue // made by another version; the campaign file was checked
		}
		m := forecast.Metric{Cell: name[:cut], Scenario: d.plan.Cells[i].Scenario, Metric: s.Metrics[j]}
		if margin, given := d.plan.Analysis.Margins[m.Metric.Name]; given {
			m.Margin = margin
		}
		metrics = append(metrics, m)
	}
	return metrics, nil
}

func writeFinding(w *strings.Builder, f forecast.Finding, source string) {
	m := f.Metrics[0]
	text := fmt.Sprintf("%s, margin %s", oneOrMany(f.Metrics), marginWithUnit(m))
	switch {
	case math.IsNaN(f.SD):
		text += ": unknown, as its noise is"
	case f.Measured:
		text += ", noise " + amount(m, f.SD)
	case source != "":
		text += fmt.Sprintf(", noise %s assumed", amount(m, f.SD))
	}
	writeLine(w, "finds", text)
	for _, l := range f.Looks {
		writeLine(w, "", lookText(m, l))
	}
}

func lookText(m forecast.Metric, l forecast.Look) string {
	start := prose.Plural(l.Blocks, "block") + ": "
	if l.Absent != "" {
		return start + "nothing, " + l.Absent
	}
	if l.Simulated < l.Blocks {
		start += fmt.Sprintf("smaller ones than %d blocks, which find ", l.Simulated)
	}
	return start + fmt.Sprintf("%s in 80 of 100 campaigns, %s in 95; equality in %.0f; intervals ±%s",
		amount(m, l.At80), amount(m, l.At95), 100*l.Equivalent, amount(m, l.HalfWidth))
}

// oneOrMany names one metric, or how many there are.
func oneOrMany(metrics []forecast.Metric) string {
	if len(metrics) == 1 {
		return metrics[0].Name()
	}
	return fmt.Sprintf("%s and %s like it", metrics[0].Name(), prose.Plural(len(metrics)-1, "metric"))
}

// amount writes a shift or an effect of a metric.
func amount(m forecast.Metric, x float64) string {
	if m.Scale == result.Ratio {
		return percentage(x)
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + " " + m.Unit
}

func percentage(fraction float64) string { return strconv.FormatFloat(100*fraction, 'f', 1, 64) + " %" }

func marginWithUnit(m forecast.Metric) string {
	text := marginText(m.Metric)
	if m.Scale != result.Ratio {
		text += " " + m.Unit
	}
	return text
}

// writeLine writes a labelled paragraph of a plan.
func writeLine(w *strings.Builder, label, text string) {
	for i, line := range prose.Lines(text, 88) {
		fmt.Fprintf(w, "%-10s %s\n", firstOnly(i, label), line)
	}
}
