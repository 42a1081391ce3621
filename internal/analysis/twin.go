package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// compareTwin compares the A/A twin with the variant that it repeats; nil
// without a twin. No other comparison has the twin: it claims nothing.
func compareTwin(m Metric, twin *plan.Twin) (*Comparison, error) {
	if twin == nil {
		return nil, nil
	}
	arm := func(name string) int { return slices.IndexFunc(m.Arms, func(a Arm) bool { return a.Variant == name }) }
	a, b := arm(twin.Variant), arm(twin.Name)
	if a < 0 || b < 0 {
		return nil, fmt.Errorf("the plan repeats %s as %s, and lacks one of the two", twin.Variant, twin.Name)
	}
	c, err := compare(m, m.Arms[a], m.Arms[b])
	return &c, err
}

// withoutTwin leaves the twin's arm out of those that are compared.
func withoutTwin(m Metric, twin *plan.Twin) Metric {
	if twin != nil {
		m.Arms = slices.DeleteFunc(slices.Clone(m.Arms), func(a Arm) bool { return a.Variant == twin.Name })
	}
	return m
}

// twinWarnings says where a variant seems to differ from itself by more than
// the margin, and where noise alone may reach the margin of a primary metric.
func twinWarnings(c Cell) []result.Warning {
	var differs, wide []string
	for _, m := range c.Metrics {
		if m.AA == nil || m.AA.Effect == nil || m.Folded() {
			continue
		}
		switch {
		case m.AA.Verdict == stats.Better || m.AA.Verdict == stats.Worse:
			differs = append(differs, m.Name)
		case m.Primary && m.AA.wide(m):
			wide = append(wide, m.Name)
		}
	}
	var list []result.Warning
	if len(differs) > 0 {
		list = append(list, result.Warning{
			Code:    "aa-differs",
			Message: fmt.Sprintf("%s: the A/A twin differs from the variant that it repeats by more than the margin in %s", c.ID, strings.Join(differs, ", ")),
			Hint:    "both are the same: something else makes this difference, and may make others; do not rely on these verdicts before you found it",
		})
	}
	if len(wide) > 0 {
		list = append(list, result.Warning{
			Code:    "aa-wide",
			Message: fmt.Sprintf("%s: the interval of the A/A twin is wider than the margin in %s: noise alone may reach it", c.ID, strings.Join(wide, ", ")),
			Hint:    "more blocks narrow the interval, `cnibench calibrate DIR --effect 5%` says how many blocks such an effect takes; or declare a wider margin",
		})
	}
	return list
}

// wide tells whether half of the interval's width exceeds the margin, on the
// scale of the test. Without an interval nothing is known to be narrow; a
// margin of 0 asks for nothing.
func (c Comparison) wide(m Metric) bool {
	iv := c.Effect.Interval
	switch {
	case m.Margin == 0:
		return false
	case iv == nil:
		return true
	case m.Scale == result.Ratio:
		return (math.Log1p(iv.High)-math.Log1p(iv.Low))/2 > testMargin(m)
	}
	return (iv.High-iv.Low)/2 > testMargin(m)
}
