package scenario

import (
	"context"
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// checkLines holds what went between every two nodes against the line between
// them, and says of the first line what it is.
func (r flowsRun) checkLines(ctx context.Context, b *stage.Bench) (marks []result.Mark, line string, err error) {
	carried := map[[2]string]float64{}
	limits := map[[2]string]stage.LineLimit{}
	mtu := map[[2]string]int{}
	var order [][2]string
	for i, f := range r.list {
		limit, err := b.Stage.LineLimit(ctx, stage.Pair{Client: f.client.Pod, Server: f.server.Pod})
		if err != nil {
			return nil, "", err
		}
		from, to := f.ends()
		way := [2]string{from, to}
		if _, known := limits[way]; !known {
			order = append(order, way)
		}
		limits[way], mtu[way] = limit, r.streams[i].Client.PathMTU
		carried[way] += r.PerStream[i]
	}
	for _, way := range order {
		if err := limits[way].Check(stage.HeadersTCP, carried[way]); err != nil {
			return nil, "", err
		}
		marks = append(marks, limits[way].Marks(stage.HeadersTCP, mtu[way], carried[way])...)
	}
	return marks, limits[order[0]].String(), nil
}

// flowFacts are what a reader must know of TCP to compare two trials.
func flowFacts(r flowsRun) map[string]string {
	first := r.streams[0].Client
	return map[string]string{
		"congestion control": r.congestion, "iperf3": first.Version, "mss": fmt.Sprint(first.MSS), "path MTU": fmt.Sprint(first.PathMTU),
		"client sysctls": r.sysctls, "window slack": r.Slack.String(),
	}
}

// medianFigures are the medians of figures that several loads have one after
// the other. What one of them lacks is missing, with its reason.
func medianFigures(list []stage.Figures) stage.Figures {
	var f stage.Figures
	values := map[string][]float64{}
	var metrics []result.Metric
	for _, one := range list {
		for _, v := range one.Values {
			if len(values[v.Name]) == 0 {
				metrics = append(metrics, v.Metric)
			}
			values[v.Name] = append(values[v.Name], v.Value)
		}
		for name, reason := range one.Missing {
			f.Lack(reason, result.Metric{Name: name})
		}
	}
	for _, one := range list {
		f.Marks = append(f.Marks, one.Marks...)
	}
	for _, m := range metrics {
		if _, lacking := f.Missing[m.Name]; !lacking {
			f.Add(m, medianOf(values[m.Name]))
		}
	}
	return f
}

// medianOf is the median of at least one value.
func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// onePerName keeps the first mark of each name, and says how many more there
// are.
func onePerName(marks []result.Mark) []result.Mark {
	var kept []result.Mark
	more := map[string]int{}
	for _, m := range marks {
		if slices.ContainsFunc(kept, func(k result.Mark) bool { return k.Name == m.Name }) {
			more[m.Name]++
			continue
		}
		kept = append(kept, m)
	}
	for i, m := range kept {
		if n := more[m.Name]; n > 0 {
			kept[i].Detail = fmt.Sprintf("%s; and %d more", m.Detail, n)
		}
	}
	return kept
}
