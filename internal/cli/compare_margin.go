package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// parseMargins reads METRIC=MARGIN: a percentage for a metric on the ratio
// scale, an amount in the metric's unit for any other.
func parseMargins(flags []string, metrics map[string]result.Metric) (map[string]float64, error) {
	margins := map[string]float64{}
	for _, text := range flags {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usage(fmt.Errorf("--margin %q is not METRIC=MARGIN", text), "write --margin throughput=5%")
		}
		m, known := metrics[name]
		if !known {
			return nil, usage(fmt.Errorf("--margin: no trial has a metric %q", name), "there are "+metricNames(metrics))
		}
		number, percent := strings.CutSuffix(value, "%")
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		switch {
		case err != nil || math.IsInf(x, 0) || !(x >= 0):
			return nil, usage(fmt.Errorf("--margin %s: %q is not a number from 0", name, value), marginHint(m))
		case percent != (m.Scale == result.Ratio):
			return nil, usage(fmt.Errorf("--margin %s: %q is of the wrong kind for a metric on the %s scale", name, value, m.Scale), marginHint(m))
		case percent:
			x /= 100
		}
		margins[name] = x
	}
	return margins, nil
}

func marginHint(m result.Metric) string {
	if m.Scale == result.Ratio {
		return fmt.Sprintf("write a percentage: --margin %s=5%%", m.Name)
	}
	return fmt.Sprintf("write an amount in %s without the unit: --margin %s=10", m.Unit, m.Name)
}
