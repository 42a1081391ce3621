package calibration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// ownWords are warnings of an analysis that a calibration says in its own way.
var ownWords = []string{"one-installation", "one-cluster", "too-few-blocks"}

// goodBlocks is the number of blocks below which the noise itself is known to
// little better than a factor of two: with 10, the 95 % interval reaches from
// 0.69 to 1.83 times the estimate.
const goodBlocks = 10

// wild is by how much the standard deviation exceeds its robust estimate where
// noise is called wild: of ten normal values it does so in one of 50
// samples.
const wild = 2.5

// causes are where to look when twins differ.
const causes = "look for the cause before comparing anything: other load on the machine, heat, a cache that fills, nodes or cores that are not alike, twins in unlike places"

// warningsOf lists first what makes comparisons on this cluster doubtful, then
// what limits the calibration, then the analysis' own warnings.
func warningsOf(c Calibration, a analysis.Analysis) ([]result.Warning, error) {
	list, err := significant(c.Metrics)
	if err != nil {
		return nil, err
	}
	list = append(list, claimed(c.Metrics)...)
	list = append(list, uneven(c.Metrics)...)
	few, err := fewBlocks(c.Metrics)
	if err != nil {
		return nil, err
	}
	list = append(list, few...)
	list = append(list, wildNoise(c.Metrics)...)
	for _, w := range a.Warnings {
		if !slices.Contains(ownWords, w.Code) {
			list = append(list, w)
		}
	}
	return list, nil
}

// significant names the primary metrics in which the twins differ, after Holm.
func significant(metrics []Metric) ([]result.Warning, error) {
	var names []string
	var ps []float64
	for _, m := range metrics {
		if m.Primary && m.P != nil {
			names, ps = append(names, m.Cell+"/"+m.Name), append(ps, *m.P)
		}
	}
	adjusted, err := stats.Holm(ps)
	if err != nil {
		return nil, err
	}
	var list []result.Warning
	for i, p := range adjusted {
		if p <= AlarmLevel {
			list = append(list, result.Warning{
				Code:    "twins-differ",
				Message: fmt.Sprintf("%s: the twins differ, though they are the same (p = %.2g, adjusted for %d metrics); by chance alone 1 of 20 calibrations says so", names[i], p, len(ps)),
				Hint:    causes + "; then calibrate again",
			})
		}
	}
	return list, nil
}

// claimed names metrics of which a verdict would have been false.
func claimed(metrics []Metric) []result.Warning {
	var list []result.Warning
	for _, m := range metrics {
		if m.Verdict == stats.Better || m.Verdict == stats.Worse {
			list = append(list, result.Warning{
				Code:    "false-verdict",
				Message: fmt.Sprintf("%s/%s: a report calls one twin %s than the other by more than the margin", m.Cell, m.Name, m.Verdict),
				Hint:    causes,
			})
		}
	}
	return list
}

// uneven names metrics whose p-values do not follow their law.
func uneven(metrics []Metric) []result.Warning {
	var list []result.Warning
	for _, m := range metrics {
		if m.Primary && m.Alarms != nil && m.Alarms.Uniformity != nil && *m.Alarms.Uniformity <= 0.01 {
			list = append(list, result.Warning{
				Code:    "p-values-uneven",
				Message: fmt.Sprintf("%s/%s: the p-values of %d groups are not uniform (p = %.2g)", m.Cell, m.Name, m.Alarms.Groups, *m.Alarms.Uniformity),
				Hint:    "blocks that follow each other are not independent; " + causes,
			})
		}
	}
	return list
}

// fewBlocks says when the noise is hardly known.
func fewBlocks(metrics []Metric) ([]result.Warning, error) {
	least, err := stats.MinBlocks(stats.VerdictAlpha, 1)
	if err != nil {
		return nil, err
	}
	fewest, where := goodBlocks, ""
	for _, m := range metrics {
		if m.Primary && m.Pairs < fewest {
			fewest, where = m.Pairs, m.Cell+"/"+m.Name
		}
	}
	if where == "" {
		return nil, nil
	}
	message := fmt.Sprintf("%s: %d blocks have a value of both twins; from fewer than %d the noise is known to a factor of two at best", where, fewest, goodBlocks)
	if fewest < least {
		message += fmt.Sprintf(", and fewer than %d cannot show that the twins differ", least)
	}
	return []result.Warning{{Code: "too-few-blocks", Message: message, Hint: "calibrate with --blocks 20, or --resume what was interrupted"}}, nil
}

// wildNoise names primary metrics for whose noise normal planning is too
// cautious.
func wildNoise(metrics []Metric) []result.Warning {
	var names []string
	for _, m := range metrics {
		if m.Primary && m.Noise != nil && m.Pairs >= goodBlocks && m.Noise.SD > wild*m.Noise.Robust {
			names = append(names, fmt.Sprintf("%s/%s (sd %.3g, robust %.3g)", m.Cell, m.Name, m.Noise.SD, m.Noise.Robust))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []result.Warning{{
		Code:    "wild-noise",
		Message: "a few blocks scatter far more than the others: " + strings.Join(names, ", "),
		Hint:    "the interval of the sd is too narrow, and rank tests find smaller effects than is planned for; look at what happened in those blocks",
	}}
}
