package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/calibration"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// CalibrationJSON writes a calibration as indented JSON.
func CalibrationJSON(w io.Writer, c calibration.Calibration) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// Calibration writes a calibration for a terminal: the primary metrics in
// full, the others in a line each.
func Calibration(w io.Writer, c calibration.Calibration) error {
	b := &bytes.Buffer{}
	writeWrapped(b, "", fmt.Sprintf("%s: %s against itself, as %s and %s, in %s", c.Name, c.Variant, c.Twins[0], c.Twins[1], prose.Plural(c.Blocks, "block")))
	writeWrapped(b, "", scopes[c.Scope])
	for _, m := range c.Metrics {
		if m.Primary {
			writeCalibrated(b, m)
		}
	}
	writeExploratory(b, c.Metrics)
	writeCosts(b, c.Costs)
	if c.Schedule != nil {
		writeSchedule(b, *c.Schedule, c.Metrics)
	}
	writeWarnings(b, c.Warnings)
	fmt.Fprintln(b, "\nHow to read this")
	for _, line := range howToReadNoise {
		writeWrapped(b, "  ", line)
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing calibration: %w", err)
	}
	return nil
}

var scopes = map[calibration.Scope]string{
	calibration.NewClusters:     "with a new cluster for each twin in each block: what differs from one installation to the next is in this noise",
	calibration.OneInstallation: "within one installation of each twin: what differs from one installation to the next is not in this noise, and a campaign with freshCluster: true may have more of it",
	calibration.OneCluster:      "both twins on one cluster: this noise holds for this cluster",
}

// howToReadNoise explains the numbers of a calibration.
var howToReadNoise = []string{
	"noise: the standard deviation (sd) of the differences between the twins within blocks, of logarithms where a difference is shown in %. Its interval holds for normal noise; robust is the same from the median absolute deviation.",
	"A/A: the Hodges–Lehmann estimate of the difference, with its exact 95 % interval and the two-sided signed-rank p. The twins are the same, so a small p is a false alarm or a fault of the set-up.",
	"found: the smallest true effects that so many of 100 campaigns show to exceed the margin, better or worse, one comparison by itself at the one-sided level of 0.025, simulated for normal noise. A ratio's is that of the better direction; x % more is as easily found as x/(100 + x) less. The last column takes the upper end of the noise's interval.",
}

// inUnits shows a metric's effects, and its noise, which for a ratio is of
// logarithms.
func inUnits(m calibration.Metric) effectText {
	if m.Scale == result.Ratio {
		sd := math.Inf(1)
		if m.Noise != nil && m.Noise.SD > 0 {
			sd = m.Noise.SD
		}
		return effectText{ratio: true, factor: 100, unit: "%", decimals: percentDecimals(100 * sd)}
	}
	values := []float64{m.Margin}
	if m.Noise != nil {
		values = append(values, m.Noise.SD)
	}
	if m.Effect != nil {
		values = append(values, m.Effect.Estimate)
	}
	u := newMeasure(m.Unit, values)
	return effectText{factor: 1 / u.divisor, unit: u.unit, decimals: min(u.decimals, 2)}
}

// size formats a number that has no direction.
func (t effectText) size(x float64) string { return prose.Fixed(x*t.factor, t.decimals) + " " + t.unit }

// writeCalibrated writes all about one metric.
func writeCalibrated(b *bytes.Buffer, m calibration.Metric) {
	t := inUnits(m)
	margin := m.Margin * t.factor
	fmt.Fprintf(b, "\n%s: %s, %s is better, margin %s %s\n", m.Cell, m.Name, m.Better, prose.Fixed(margin, marginDecimals(margin)), t.unit)
	if m.Noise != nil {
		writeWrapped(b, "  ", "noise: "+noiseText(t, m))
	}
	if m.Effect != nil {
		text := fmt.Sprintf("A/A: %s, ", t.estimate(*m.Effect))
		if m.Effect.Interval != nil {
			text += "95 % interval "
		}
		text += t.interval(*m.Effect)
		if m.P != nil {
			text += fmt.Sprintf(", p = %.2g", *m.P)
		}
		writeWrapped(b, "  ", text)
	}
	if m.Alarms != nil {
		writeWrapped(b, "  ", "alarms: "+alarmsText(*m.Alarms))
	}
	if m.Absent != "" {
		writeWrapped(b, "  ", "nothing to plan with: "+m.Absent)
	}
	if len(m.Smallest) > 0 {
		writeSmallest(b, t, m.Smallest)
	}
	if m.Needed != nil {
		writeWrapped(b, "  ", neededText(*m.Needed))
	}
}

func noiseText(t effectText, m calibration.Metric) string {
	interval := "no interval"
	if iv := m.Noise.Interval; iv != nil {
		interval = fmt.Sprintf("95 %% interval %s to %s", prose.Fixed(iv.Low*t.factor, t.decimals), t.size(iv.High))
	}
	return fmt.Sprintf("sd %s (%s), robust %s, from %s", t.size(m.Noise.SD), interval, t.size(m.Noise.Robust), prose.Plural(m.Pairs, "block"))
}

func alarmsText(a calibration.Alarms) string {
	if a.Groups == 0 {
		return fmt.Sprintf("no group of %d blocks", a.GroupBlocks)
	}
	text := fmt.Sprintf("%d of %s of %d blocks with p ≤ %s, %d beyond the margin", a.Alarms, prose.Plural(a.Groups, "group"), a.GroupBlocks,
		prose.Fixed(calibration.AlarmLevel, 2), a.Claimed)
	if a.Rate == nil {
		return text + ": too few for a rate (" + a.Absent + ")"
	}
	text += fmt.Sprintf(": %s %% (%s to %s %%), where %s %% are fair", prose.Fixed(100*a.Rate.Share, 1), prose.Fixed(100*a.Rate.Low, 1), prose.Fixed(100*a.Rate.High, 1),
		prose.Fixed(100*a.Expected, 1))
	if a.Uniformity != nil {
		text += fmt.Sprintf("; p-values uniform: p = %.2g", *a.Uniformity)
	}
	return text
}

func writeSmallest(b *bytes.Buffer, t effectText, list []calibration.Smallest) {
	rows := table{indent: "  ", right: []bool{false, true, true, true, true}}
	rows.add("found", "blocks", "in 80 %", "in 95 %", "in 80 %, cautious")
	for _, s := range list {
		cautious := "–"
		if s.Cautious != nil {
			cautious = t.size(*s.Cautious)
		}
		rows.add("", fmt.Sprint(s.Blocks), t.size(s.At80), t.size(s.At95), cautious)
	}
	rows.write(b)
}

func neededText(n calibration.Needed) string {
	effect := percent(n.Effect)
	if n.Absent != "" {
		return effect + ": " + n.Absent
	}
	claim := "found"
	if n.Equivalent {
		claim = "within the margin: shown equivalent"
	}
	high := fmt.Sprintf("more than %d", calibration.MostBlocks)
	if n.At95 > 0 {
		high = fmt.Sprint(n.At95)
	}
	return fmt.Sprintf("%s is %s in 80 %% of campaigns with %s, in 95 %% with %s", effect, claim, prose.Plural(n.At80, "block"), high)
}

// writeExploratory writes a line for every metric that is not primary, below
// that of its cell.
func writeExploratory(b *bytes.Buffer, metrics []calibration.Metric) {
	rows := table{indent: "  ", right: []bool{false, true, true, true, true, true}}
	rows.add("", "blocks", "noise (sd)", "A/A", "p", "10 blocks find")
	cell := ""
	for _, m := range metrics {
		if m.Primary {
			continue
		}
		if m.Cell != cell {
			cell = m.Cell
			rows.add(cell)
		}
		t := inUnits(m)
		row := []string{"  " + m.Name, fmt.Sprint(m.Pairs), "–", "–", "–", "–"}
		if m.Noise != nil {
			row[2] = t.size(m.Noise.SD)
		}
		if m.Effect != nil {
			row[3] = t.estimate(*m.Effect)
		}
		if m.P != nil {
			row[4] = fmt.Sprintf("%.2g", *m.P)
		}
		for _, s := range m.Smallest {
			if s.Blocks == 10 {
				row[5] = t.size(s.At80)
			}
		}
		rows.add(row...)
	}
	if len(rows.rows) > 1 {
		fmt.Fprintln(b, "\nOther metrics, exploratory; found in 80 %")
		rows.write(b)
	}
}

func writeCosts(b *bytes.Buffer, c calibration.Costs) {
	fmt.Fprintln(b, "\nTimes (medians)")
	rows := table{indent: "  ", right: []bool{false, true, false}}
	for _, t := range c.Trials {
		rows.add("a trial of "+t.Cell, seconds(t.Seconds), fmt.Sprintf("of which %s are measured", seconds(t.Measured)))
	}
	if c.Turn != nil {
		rows.add("the next variant's turn", seconds(c.Turn.Seconds), "where its cluster is there")
	}
	if c.Cluster != nil {
		rows.add("the next variant's turn", seconds(c.Cluster.Seconds), "where its cluster is made")
	}
	if len(rows.rows) == 0 {
		fmt.Fprintln(b, "  no trial gave a result")
	}
	rows.write(b)
}

func seconds(s float64) string { return prose.Fixed(s, 1) + " s" }

// scheduleColumns is how many primary metrics a schedule shows; JSON has all.
const scheduleColumns = 3

func writeSchedule(b *bytes.Buffer, s calibration.Schedule, metrics []calibration.Metric) {
	fmt.Fprintf(b, "\nWhat %s hold, and the smallest effects that 80 %% of such campaigns find\n", clock(s.Budget))
	if s.Absent != "" {
		writeWrapped(b, "  ", s.Absent)
		return
	}
	shown := s.Primary[:min(len(s.Primary), scheduleColumns)]
	rows := table{indent: "  ", right: []bool{true, true, true, true}}
	rows.add("variants", "trials", "blocks", "time")
	for _, name := range shown {
		rows.right = append(rows.right, true)
		rows.rows[0] = append(rows.rows[0], name)
	}
	var notes []string
	for _, o := range s.Options {
		if o.Absent != "" {
			notes = append(notes, fmt.Sprintf("%s: %s", prose.Plural(o.Variants, "variant"), o.Absent))
			continue
		}
		blocks := fmt.Sprint(o.Blocks)
		if o.Blocks == calibration.MostBlocks {
			blocks += " or more"
		}
		row := []string{fmt.Sprint(o.Variants), length(o.Longer), blocks, clock(o.Seconds)}
		for i, name := range shown {
			row = append(row, rangeText(find(metrics, name), o.Smallest[i]))
		}
		rows.add(row...)
	}
	if len(rows.rows) > 1 {
		rows.write(b)
	}
	for _, note := range notes {
		writeWrapped(b, "  ", note)
	}
	writeRepeats(b, s.Repeats)
	writeWrapped(b, "  ", "taken for granted: "+strings.Join(s.Assumed, "; "))
}

func length(longer int) string {
	if longer == 1 {
		return "as here"
	}
	return fmt.Sprintf("%d × as long", longer)
}

// find returns the metric of that CELL/METRIC, which the schedule has from the
// same list.
func find(metrics []calibration.Metric, name string) calibration.Metric {
	for _, m := range metrics {
		if m.Cell+"/"+m.Name == name {
			return m
		}
	}
	return calibration.Metric{}
}

func rangeText(m calibration.Metric, r calibration.Range) string {
	t := inUnits(m)
	low, high := prose.Fixed(r.Low*t.factor, t.decimals), t.size(r.High)
	if strings.HasPrefix(high, low+" ") {
		return high
	}
	return low + " to " + high
}

func writeRepeats(b *bytes.Buffer, list []calibration.Repeat) {
	var trials, shares []string
	for _, r := range list {
		trials = append(trials, fmt.Sprint(r.Trials))
		shares = append(shares, prose.Fixed(100*r.ClusterShare, 0))
	}
	if len(list) > 0 {
		writeWrapped(b, "  ", fmt.Sprintf("with new clusters, %s trials on each are worth their time if %s %% of the variance come with the cluster (Kalibera and Jones 2013); "+
			"calibrate with and without --fresh-cluster to see the share", strings.Join(trials, ", "), strings.Join(shares, ", ")))
	}
}

// clock formats a time in seconds as hours and minutes.
func clock(s float64) string {
	d := time.Duration(s * float64(time.Second)).Round(time.Second)
	if d >= time.Hour {
		d = d.Round(time.Minute)
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	if d >= time.Minute {
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}
