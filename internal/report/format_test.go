package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

func TestMeasure(t *testing.T) {
	tests := []struct {
		unit   string
		values []float64 // the first is formatted
		want   string
	}{
		{"bit/s", []float64{12.3456e9, 9e9}, "12.35 Gbit/s"},
		{"bit/s", []float64{0.5e9}, "500.0 Mbit/s"},
		{"bit/s", []float64{0.5e9, 20e9}, "0.50 Gbit/s"}, // one unit for all
		{"s", []float64{38e-6}, "38.00 µs"},
		{"s", []float64{1.5}, "1.500 s"},
		{"bytes", []float64{-52428800}, "−50.00 MiB"},
		{"cores", []float64{1.25}, "1.250 cores"},
		{"cores", []float64{0.004}, "4.000 mCPU"},
		{"segments", []float64{120, 7}, "120 segments"},
		{"segments", []float64{0}, "0 segments"},
		{"mCPU per Gbit/s", []float64{97.04}, "97.04 mCPU per Gbit/s"},
		{"bit/s", []float64{0}, "0 bit/s"},
		{"s", []float64{0}, "0 s"},
		{"cores", []float64{0}, "0 cores"},
		{"bit/s", []float64{23e18, 1e9}, "23.00 Ebit/s"},
		{"bytes", []float64{3 << 40}, "3.000 TiB"},
		{"s", []float64{38e-15}, "38.00 fs"},
	}
	for _, test := range tests {
		if got := newMeasure(test.unit, test.values).with(test.values[0]); got != test.want {
			t.Errorf("%v %s is shown as %q, want %q", test.values, test.unit, got, test.want)
		}
	}
}

// A median between two counts is not rounded away.
func TestMeasureOfCounts(t *testing.T) {
	if got := newMeasure("segments", []float64{19, 20}).number(19.5); got != "19.5" {
		t.Errorf("got %s, want 19.5", got)
	}
}

// throughputOf is a metric with one comparison, flannel-vxlan against host.
func throughputOf(better result.Better, c analysis.Comparison) analysis.Metric {
	c.A, c.B, c.AgainstBase, c.Primary = "host", "flannel-vxlan", true, true
	name := "throughput"
	if better == result.Lower {
		name = "rtt"
	}
	return analysis.Metric{
		Metric:      result.Metric{Name: name, Unit: "bit/s", Better: better, Scale: result.Ratio, Margin: 0.03},
		Comparisons: []analysis.Comparison{c},
	}
}

func TestSentence(t *testing.T) {
	interval := func(low, high float64) *analysis.Interval {
		return &analysis.Interval{Low: low, High: high, Confidence: 0.95}
	}
	tests := []struct {
		name string
		m    analysis.Metric
		want string
	}{
		{
			"worse",
			throughputOf(result.Higher, analysis.Comparison{Verdict: stats.Worse, Effect: &analysis.Effect{Estimate: -0.21, Interval: interval(-0.241, -0.179)}}),
			"flannel-vxlan reaches 21.0 % less than host (95 % interval 17.9–24.1 %): worse at a margin of 3 %.",
		},
		{
			"a wide interval has no decimals",
			throughputOf(result.Higher, analysis.Comparison{Verdict: stats.Better, Effect: &analysis.Effect{Estimate: 0.31, Interval: interval(0.2, 0.4)}}),
			"flannel-vxlan reaches 31 % more than host (95 % interval 20–40 %): better at a margin of 3 %.",
		},
		{
			"the interval holds 0",
			throughputOf(result.Higher, analysis.Comparison{Verdict: stats.Equivalent, Effect: &analysis.Effect{Estimate: -0.002, Interval: interval(-0.015, 0.011)}}),
			"flannel-vxlan reaches 0.2 % less than host (95 % interval 1.5 % less to 1.1 % more): equivalent within a margin of 3 %.",
		},
		{
			"lower is better",
			throughputOf(result.Lower, analysis.Comparison{Verdict: stats.Worse, Effect: &analysis.Effect{Estimate: 0.25, Interval: interval(0.21, 0.29)}}),
			"flannel-vxlan: rtt is 25.0 % higher than with host (95 % interval 21.0–29.0 %): worse at a margin of 3 %.",
		},
		{
			"inconclusive",
			throughputOf(result.Higher, analysis.Comparison{Verdict: stats.Inconclusive, Further: 4, Effect: &analysis.Effect{Estimate: -0.04, Interval: interval(-0.06, -0.02)}}),
			"flannel-vxlan reaches 4.0 % less than host (95 % interval 2.0–6.0 %): inconclusive at a margin of 3 %; about 4 more blocks are likely to settle it.",
		},
		{
			"too few values",
			throughputOf(result.Higher, analysis.Comparison{Verdict: stats.Inconclusive, Further: 1, Effect: &analysis.Effect{Estimate: -0.04}}),
			"flannel-vxlan reaches 4.0 % less than host (too few values for a 95 % interval): inconclusive at a margin of 3 %; 1 more block is likely to settle it.",
		},
		{
			"a large effect without an interval has no decimals",
			throughputOf(result.Higher, analysis.Comparison{Verdict: stats.Inconclusive, Open: "too few values to say how many more", Effect: &analysis.Effect{Estimate: -0.164}}),
			"flannel-vxlan reaches 16 % less than host (too few values for a 95 % interval): inconclusive at a margin of 3 %; too few values to say how many more.",
		},
		{
			"no effect is neither less nor more",
			throughputOf(result.Lower, analysis.Comparison{Verdict: stats.Inconclusive, Open: stats.BeyondForecast, Effect: &analysis.Effect{Estimate: 0.0001, Interval: interval(-0.04, 0.04)}}),
			"flannel-vxlan: rtt differs by 0.0 % from host (95 % interval 4.0 % lower to 4.0 % higher): inconclusive at a margin of 3 %; to settle it takes more than 100 further blocks.",
		},
		{
			"nothing to compare",
			throughputOf(result.Higher, analysis.Comparison{Verdict: stats.Inconclusive, Open: "no block has a value of both"}),
			"flannel-vxlan cannot be compared with host: no block has a value of both.",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := findings(analysis.Cell{}, test.m)[0].Text; got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestDownsampleKeepsEndsAndOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var points []Point
		for i, v := range rapid.SliceOfN(rapid.Float64Range(0, 100), 2, 300).Draw(rt, "values") {
			points = append(points, Point{float64(i), v})
		}
		limit := rapid.IntRange(2, 60).Draw(rt, "limit")
		kept := downsample(points, limit)
		if len(kept) > limit || kept[0] != points[0] || kept[len(kept)-1] != points[len(points)-1] {
			rt.Fatalf("%d points for a limit of %d: %v", len(kept), limit, kept)
		}
		for i, p := range kept {
			if p != points[int(p.Offset)] || i > 0 && p.Offset <= kept[i-1].Offset {
				rt.Fatalf("point %d, %v, is not the next of the original ones", i, p)
			}
		}
	})
}

// What matters in a throughput series is the second in which it collapsed.
func TestDownsampleKeepsASpike(t *testing.T) {
	var points []Point
	for i := range 600 {
		points = append(points, Point{float64(i), 20 + math.Sin(float64(i))/10})
	}
	points[137].Value = 2
	if !slices.Contains(downsample(points, 50), points[137]) {
		t.Error("the collapse in second 137 is lost")
	}
}

// Values that are not numbers neither break the page nor the axes.
func TestSeriesWithGaps(t *testing.T) {
	a, _, _ := synthetic(t)
	s := []Series{{
		Cell: a.Cells[0].ID, Variant: "host", Block: 1,
		Throughput: []Point{{1, math.NaN()}, {2, 20}, {math.Inf(1), 20}, {3, 21}},
	}}
	groups, room := seriesGroups(a, s, 1000)
	if !room || len(groups) != 1 {
		t.Fatalf("%d groups, room is %v", len(groups), room)
	}
	want := `<polyline points="667,200 1000,160"/>`
	if got := string(groups[0].Tiles[0].Panels[0].Plot); !strings.HasSuffix(got, want+"</svg>") {
		t.Errorf("got %s, want %s at its end", got, want)
	}
}

// Where both fill the line, CPU is what tells them apart.
func TestSentenceAtTheCeiling(t *testing.T) {
	effect := &analysis.Effect{Estimate: -0.002, Interval: &analysis.Interval{Low: -0.015, High: 0.011, Confidence: 0.95}}
	rate := throughputOf(result.Higher, analysis.Comparison{Verdict: stats.Equivalent, Effect: effect, Ceiling: true})
	cpu := throughputOf(result.Lower, analysis.Comparison{Verdict: stats.Worse, Effect: &analysis.Effect{Estimate: 0.25, Interval: &analysis.Interval{Low: 0.21, High: 0.29, Confidence: 0.95}}})
	cpu.Name = "cpu-per-gbit"
	same := "flannel-vxlan reaches 0.2 % less than host (95 % interval 1.5 % less to 1.1 % more): equivalent within a margin of 3 %."
	for _, test := range []struct {
		cell analysis.Cell
		want string
	}{
		{
			analysis.Cell{Metrics: []analysis.Metric{rate, cpu}},
			same + " Both fill the line, so CPU tells them apart: flannel-vxlan: cpu-per-gbit is 25.0 % higher than with host (95 % interval 21.0–29.0 %): worse at a margin of 3 %.",
		},
		{analysis.Cell{Metrics: []analysis.Metric{rate}}, same + " Both fill the line, and nothing says what CPU that took."},
	} {
		if got := findings(test.cell, rate)[0].Text; got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
