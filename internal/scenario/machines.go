package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// machines is what the machines did during a window, one summary per kernel.
// Figures are sums over all of them, so that one that is not known leaves
// none.
type machines struct {
	summaries map[string]sample.Summary
	// unknown says why there are no summaries; empty where there are.
	unknown string
}

// nodes are the names of the summaries, sorted.
func (ms machines) nodes() []string { return slices.Sorted(maps.Keys(ms.summaries)) }

// totalBusy is the busy CPU of all machines, in cores.
func (ms machines) totalBusy() float64 {
	total := 0.0
	for _, s := range ms.summaries {
		total += s.Busy
	}
	return total
}

// seconds is the length of the window.
func (ms machines) seconds() float64 {
	for _, s := range ms.summaries {
		return s.Window.Duration().Seconds()
	}
	return 0
}

// inWindow cuts every series to the window.
func (s sampled) inWindow(w sample.Window) machines {
	reasons := maps.Clone(s.lost)
	if reasons == nil {
		reasons = map[string]string{}
	}
	summaries := map[string]sample.Summary{}
	for node, series := range s.series {
		summary, err := sample.Summarize(series, w.Start, w.End)
		if err != nil {
			reasons[node] = fmt.Sprintf("the probe on %s: %v", node, err)
			continue
		}
		summaries[node] = summary
	}
	if len(reasons) == 0 {
		return machines{summaries: summaries}
	}
	var words []string
	for _, node := range slices.Sorted(maps.Keys(reasons)) {
		words = append(words, reasons[node])
	}
	return machines{unknown: strings.Join(words, "; ")}
}

// measureWindow cuts the samples to the window of a load, keeps the result as
// evidence, and makes a measurement that has the resources alone.
func (b *Bench) measureWindow(series string, w sample.Window, samples sampled) (Measurement, machines) {
	ms := b.perKernel(samples.inWindow(w))
	if ms.unknown == "" {
		if err := b.keepJSON(series+"summary.json", ms.summaries); err != nil {
			b.lose(series+"summary.json", err)
		}
	}
	m := Measurement{Window: result.Window(w), Facts: map[string]string{"attribution": b.attribution()}, Conditions: conditions(ms)}
	m.lead(b.resources(ms))
	return m, ms
}
