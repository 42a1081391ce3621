package stage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// Machines is what the machines did during a window, one summary per kernel.
// Figures are sums over all of them, so that one that is not known leaves
// none.
type Machines struct {
	Summaries map[string]sample.Summary
	// Unknown says why there are no summaries; empty where there are.
	Unknown string
}

// nodes are the names of the summaries, sorted.
func (ms Machines) nodes() []string { return slices.Sorted(maps.Keys(ms.Summaries)) }

// TotalBusy is the busy CPU of all machines, in cores.
func (ms Machines) TotalBusy() float64 {
	total := 0.0
	for _, s := range ms.Summaries {
		total += s.Busy
	}
	return total
}

// seconds is the length of the window.
func (ms Machines) seconds() float64 {
	for _, s := range ms.Summaries {
		return s.Window.Duration().Seconds()
	}
	return 0
}

// inWindow cuts every series to the window.
func (s Sampled) inWindow(w sample.Window) Machines {
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
		return Machines{Summaries: summaries}
	}
	var words []string
	for _, node := range slices.Sorted(maps.Keys(reasons)) {
		words = append(words, reasons[node])
	}
	return Machines{Unknown: strings.Join(words, "; ")}
}

// MeasureWindow cuts the samples to the window of a load, keeps the result as
// evidence, and makes a measurement that has the resources alone.
func (b *Bench) MeasureWindow(series string, w sample.Window, samples Sampled) (Measurement, Machines) {
	ms := b.perKernel(samples.inWindow(w))
	if ms.Unknown == "" {
		if err := b.KeepJSON(series+"summary.json", ms.Summaries); err != nil {
			b.lose(series+"summary.json", err)
		}
	}
	m := Measurement{Window: result.Window(w), Facts: map[string]string{"attribution": b.attribution()}, Conditions: conditions(ms)}
	m.Lead(b.resources(ms))
	return m, ms
}
