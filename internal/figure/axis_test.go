package figure

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestAxisHoldsItsValues(t *testing.T) {
	axes := map[string]func([]float64) Axis{"even": NewAxis, "wide": NewWideAxis}
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 20).Draw(rt, "values")
		for name, axis := range axes {
			a := axis(values)
			places := append([]float64{}, values...)
			for _, tick := range a.Ticks {
				places = append(places, tick.Value)
			}
			for _, v := range places {
				if at := a.At(v); !(at >= sidePadding-0.1 && at <= 100-sidePadding+0.1) {
					rt.Fatalf("%s: %v lies at %v %% of %+v", name, v, at, a)
				}
			}
			if len(a.Ticks) < 2 || len(a.Ticks) > 8 {
				rt.Fatalf("%s: %d ticks: %+v", name, len(a.Ticks), a)
			}
		}
	})
}

func TestAxisStart(t *testing.T) {
	tests := []struct {
		name   string
		values []float64
		zero   bool
	}{
		{"values that span much of their size", []float64{3, 10}, true},
		{"values close to each other", []float64{17, 22}, false},
		{"all zero", []float64{0, 0}, true},
		{"negative ones", []float64{-5, 10}, false},
		{"what is not finite counts as missing", []float64{math.NaN(), math.Inf(1), 17, 22}, false},
	}
	for _, test := range tests {
		if got := NewAxis(test.values).StartsAtZero(); got != test.zero {
			t.Errorf("%s: starts at zero is %v, want %v", test.name, got, test.zero)
		}
	}
}

// Only positive values that span a wide range have equal ratios.
func TestWideAxis(t *testing.T) {
	tests := []struct {
		values []float64
		log    bool
	}{
		{[]float64{1e6, 2e10}, true}, {[]float64{1, 20}, false}, {[]float64{0, 1e6}, false}, {[]float64{-1, 1e6}, false}, {nil, false},
	}
	for _, test := range tests {
		if got := NewWideAxis(test.values).Logarithmic(); got != test.log {
			t.Errorf("%v: logarithmic is %v, want %v", test.values, got, test.log)
		}
	}
}

// A swept parameter may start at none at all, which has a place of its own.
func TestSteppedAxis(t *testing.T) {
	a := NewSteppedAxis([]float64{0, 10, 100, 1000}, []string{"0", "10", "100", "1000"}, 2)
	for i, want := range []float64{0, 0.333, 0.667, 1} {
		if got := a.share(a.Ticks[i].Value); math.Abs(got-want) > 0.001 {
			t.Errorf("%s lies at %.3f, want %.3f", a.Ticks[i].Label, got, want)
		}
	}
	if a.Ticks[0].Minor || !a.Ticks[1].Minor {
		t.Errorf("labels: %+v", a.Ticks)
	}
}

// Each nine takes the same room.
func TestPercentileAxis(t *testing.T) {
	a := NewPercentileAxis([]float64{0.5, 0.9, 0.99, 0.999})
	nine, next := a.share(0.99)-a.share(0.9), a.share(0.999)-a.share(0.99)
	if math.Abs(nine-next) > 1e-9 {
		t.Errorf("90 to 99 %% takes %v, 99 to 99.9 %% %v", nine, next)
	}
	if last := a.Ticks[len(a.Ticks)-1].Label; last != "99.9 %" {
		t.Errorf("the last tick is %s", last)
	}
}
