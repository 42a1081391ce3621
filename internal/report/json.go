package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/cost"
	"github.com/cnibench/cnibench/internal/profile"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// Document is the report as data: the analysis, and every number that the page
// shows besides. Numbers are not rounded and in the metric's own unit.
type Document struct {
	analysis.Analysis
	Rules Rules `json:"rules"`
	Size  Size  `json:"size"`
	Tally Tally `json:"tally"`
	// Groups says which variants cannot be told apart, in each primary metric
	// and in the first of each cell without one.
	Groups []Groups `json:"groups"`
	// Parts says what the busy CPU was made of, by cell and group of metrics.
	Parts []Parts `json:"parts"`
	// Rankings are what to choose for which need, Decision is what to decide by.
	Rankings []profile.Ranking `json:"rankings,omitempty"`
	Decision profile.Decision  `json:"decision,omitzero"`
	// Latency has the curves of percentiles.
	Latency []LatencyCurve `json:"latency"`
	// Losses groups what gave no result, as the page lists it.
	Losses []Loss `json:"losses"`
	// Series counts the trials that have a course over time in the evidence.
	Series []SeriesCount `json:"series"`
	// Saturation is the median throughput by the number of streams; Steps are
	// those of every trial that looked for it.
	Saturation []Curve `json:"saturation"`
	Steps      []Steps `json:"steps"`
	// Costs are those of the variants, with the prices; nil where nothing was
	// priced.
	Costs *cost.Costs `json:"costs,omitempty"`
	// Published is what others published, held against the results; nil where
	// nothing was.
	Published *Published `json:"published,omitempty"`
	// Environment is what was measured on; nil where nobody recorded it.
	Environment *result.Environment `json:"environment,omitempty"`
	// Campaign is the campaign file as the user wrote it, Commands what clients
	// executed, by the directory of the evidence.
	Campaign string            `json:"campaign,omitempty"`
	Commands map[string]string `json:"commands,omitempty"`
}

// Rules are the constants behind intervals and verdicts.
type Rules struct {
	Confidence float64 `json:"confidence"` // of every interval
	Alpha      float64 `json:"alpha"`      // one-sided, of every verdict
	// IntervalSamples is the least number of samples that has an interval.
	IntervalSamples int `json:"intervalSamples"`
}

// Size counts what was compared. Blocks are those that were needed.
type Size struct {
	Variants int `json:"variants"`
	Cells    int `json:"cells"`
	Blocks   int `json:"blocks"`
}

// Tally counts the verdicts of the primary comparisons.
type Tally struct {
	Better       int `json:"better"`
	Worse        int `json:"worse"`
	Equivalent   int `json:"equivalent"`
	Inconclusive int `json:"inconclusive"`
	NotMeasured  int `json:"notMeasured"`
}

// Groups is about one metric of a cell.
type Groups struct {
	Cell   string `json:"cell"`
	Metric string `json:"metric"`
	analysis.ComparedGroups
}

// Parts is one group of metrics that are parts of a whole. Shares are of the
// sum of the medians, from 0 to 1.
type Parts struct {
	Cell     string        `json:"cell"`
	Group    string        `json:"group"`
	Unit     string        `json:"unit"`
	Variants []VariantPart `json:"variants"`
}

// VariantPart is the whole of one variant, and its parts.
type VariantPart struct {
	Variant string  `json:"variant"`
	Sum     float64 `json:"sum"` // of the medians
	Parts   []Part  `json:"parts"`
}

// Part is the median of one metric and its share of the sum.
type Part struct {
	Metric string  `json:"metric"`
	Median float64 `json:"median"`
	Share  float64 `json:"share"`
}

// LatencyCurve is the latency of one cell, from the histograms of its trials or
// from metrics that are percentiles.
type LatencyCurve struct {
	Cell string `json:"cell"`
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Requests is the least number in a trial, where histograms say.
	Requests int64          `json:"requests,omitempty"`
	Points   []LatencyPoint `json:"points"`
}

// LatencyPoint is the median over the blocks of one percentile of a variant,
// with its interval.
type LatencyPoint struct {
	Variant  string   `json:"variant"`
	Quantile float64  `json:"quantile"` // of 1
	Median   float64  `json:"median"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Blocks   int      `json:"blocks"`
}

// Loss is what gave no result in one way; Cell and Variant are "all" where a
// whole block was dropped.
type Loss struct {
	Cell     string `json:"cell"`
	Variant  string `json:"variant"`
	Status   string `json:"status"`
	Reason   string `json:"reason"`
	Attempts int    `json:"attempts"`
	Blocks   []int  `json:"blocks"`
}

// SeriesCount counts the trials of a variant in a cell.
type SeriesCount struct {
	Cell    string `json:"cell"`
	Variant string `json:"variant"`
	Trials  int    `json:"trials"`
}

// JSON writes the report as one document, indented, with a newline at the end.
func JSON(w io.Writer, s Source) error {
	d, err := NewDocument(s)
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// NewDocument computes what the page shows besides the analysis.
func NewDocument(s Source) (Document, error) {
	a := s.Analysis
	groups, err := groupsOf(a)
	if err != nil {
		return Document{}, err
	}
	d := Document{
		Analysis: a,
		Rules:    Rules{analysis.Confidence, analysis.Alpha(a.Plan), intervalSamples},
		Size:     Size{len(a.Plan.Variants), len(a.Cells), len(a.Blocks())},
		Tally:    tallyOf(a), Groups: groups, Parts: []Parts{}, Latency: latencyCurves(a, s.Distributions), Losses: []Loss{}, Series: []SeriesCount{},
		Saturation: stepCurves(s), Steps: append([]Steps{}, s.Steps...),
		Rankings: s.Rankings, Decision: s.Decision, Costs: s.Costs, Published: newPublished(s.Claims),
		Campaign: string(s.Campaign), Commands: s.Commands,
	}
	for _, c := range a.Cells {
		for _, group := range []string{result.CPUByMode, result.CPUByOwner} {
			if parts := partsOf(c, group); len(parts) > 0 {
				d.Parts = append(d.Parts, newParts(c.ID, group, parts))
			}
		}
		for _, v := range a.Plan.Variants {
			if n := countSeries(s.Series, c.ID, v.Name); n > 0 {
				d.Series = append(d.Series, SeriesCount{c.ID, v.Name, n})
			}
		}
	}
	for _, l := range losses(a) {
		d.Losses = append(d.Losses, Loss{l.Cell, l.Variant, l.Status, l.Reason, l.Count, l.Blocks})
	}
	if s.Environment.Schema != "" {
		d.Environment = &s.Environment
	}
	return d, nil
}

// groupsOf judges the metrics that the page judges.
func groupsOf(a analysis.Analysis) ([]Groups, error) {
	list := []Groups{}
	for _, l := range matrixLines(a) {
		if l.metric == nil {
			continue
		}
		found, err := a.Groups(*l.metric)
		if err != nil {
			return nil, err
		}
		if found != nil {
			list = append(list, Groups{a.Cells[l.cell].ID, l.metric.Name, *found})
		}
	}
	return list, nil
}

// latencyCurves are those that the page draws.
func latencyCurves(a analysis.Analysis, all []Distribution) []LatencyCurve {
	list := []LatencyCurve{}
	for _, c := range a.Cells {
		for _, p := range curvesOf(a, c, all) {
			curve := LatencyCurve{Cell: c.ID, Name: p.name, Unit: "s", Points: []LatencyPoint{}}
			for _, arm := range p.arms {
				for _, b := range arm.blocks {
					if b.Requests > 0 && (curve.Requests == 0 || b.Requests < curve.Requests) {
						curve.Requests = b.Requests
					}
				}
				for _, x := range arm.line(measure{divisor: 1, unit: "s"}).Points {
					if !math.IsNaN(x.Y) {
						curve.Points = append(curve.Points, LatencyPoint{arm.variant, x.X, x.Y, finite(x.Low), finite(x.High), len(arm.blocks)})
					}
				}
			}
			list = append(list, curve)
		}
	}
	return list
}

// finite is nil for what there is not.
func finite(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// intervalSamples is the least number of samples for the order-statistic
// interval at 95 %: with five its coverage is 1 − 2·2⁻⁵ = 94 %.
const intervalSamples = 6

func tallyOf(a analysis.Analysis) Tally {
	var t Tally
	count := map[stats.Verdict]*int{stats.Better: &t.Better, stats.Worse: &t.Worse, stats.Equivalent: &t.Equivalent, stats.Inconclusive: &t.Inconclusive}
	t.NotMeasured = a.Family
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			for _, k := range m.Comparisons {
				if k.Primary {
					*count[k.Verdict]++
					t.NotMeasured--
				}
			}
		}
	}
	return t
}

// partsOf lists the metrics of a group that are parts of the busy CPU: that of
// the plugin is a metric by itself, and a part of the CPU by owner.
func partsOf(c analysis.Cell, group string) []analysis.Metric {
	var parts []analysis.Metric
	grouped := false
	for _, m := range c.Metrics {
		if m.Group == group || group == result.CPUByOwner && m.Name == cniCPU {
			parts = append(parts, m)
			grouped = grouped || m.Group == group
		}
	}
	if !grouped {
		return nil
	}
	return parts
}

// newParts adds the medians up, as the breakdown draws them.
func newParts(cell, group string, metrics []analysis.Metric) Parts {
	p := Parts{Cell: cell, Group: group, Unit: metrics[0].Unit, Variants: []VariantPart{}}
	for i, arm := range metrics[0].Arms {
		v := VariantPart{Variant: arm.Variant}
		for _, m := range metrics {
			if m.Arms[i].Summary != nil {
				median := m.Arms[i].Summary.Median
				v.Parts = append(v.Parts, Part{Metric: m.Name, Median: median})
				v.Sum += median
			}
		}
		for j := range v.Parts {
			if v.Sum > 0 { // two clocks of the kernel can make a part less than nothing
				v.Parts[j].Share = max(v.Parts[j].Median, 0) / v.Sum
			}
		}
		if len(v.Parts) > 0 {
			p.Variants = append(p.Variants, v)
		}
	}
	return p
}

func countSeries(all []Series, cell, variant string) int {
	n := 0
	for _, s := range all {
		if s.Cell == cell && s.Variant == variant {
			n++
		}
	}
	return n
}
