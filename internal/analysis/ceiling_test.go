package analysis

import (
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

func TestCeiling(t *testing.T) {
	rate := result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	cpu := result.Metric{Name: "cpu", Unit: "cores", Better: result.Lower, Scale: result.Ratio, Margin: 0.05}
	arm := func(variant string, full, blocks int) Arm {
		a := Arm{Variant: variant}
		for i := range blocks {
			s := Sample{Block: i + 1, Value: 9.4e9}
			if i < full {
				s.Marks = []string{"cpu-saturated", result.LineLimited}
			}
			a.Samples = append(a.Samples, s)
		}
		return a
	}
	for _, test := range []struct {
		name   string
		metric result.Metric
		a, b   Arm
		want   bool
	}{
		{"both fill the line", rate, arm("host", 6, 6), arm("x", 4, 6), true},
		{"one does", rate, arm("host", 6, 6), arm("x", 0, 6), false},
		{"half of the blocks are not most", rate, arm("host", 3, 6), arm("x", 6, 6), false},
		{"CPU has no ceiling of a line", cpu, arm("host", 6, 6), arm("x", 6, 6), false},
		{"nothing was measured", rate, arm("host", 6, 6), arm("x", 0, 0), false},
	} {
		m := Metric{Metric: test.metric, Arms: []Arm{test.a, test.b}}
		list, err := compareAll(m, "host", compare)
		if err != nil {
			t.Fatal(err)
		}
		if got := list[0].Ceiling; got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
