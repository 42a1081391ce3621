package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cnibench/cnibench/internal/result"
)

// ibWarnings hold for every copy of the data set. They are from its scripts
// and the dashboard behind its published charts.
var ibWarnings = []result.Warning{
	{
		Code:    "source-not-interleaved",
		Message: "all runs of a variant were taken one after the other, within weeks and on several kernels; every run had newly installed machines",
		Hint:    "differences between variants contain what changed meanwhile: see the kernels",
	},
	{
		Code:    "source-charts",
		Message: "the published charts show the best of three runs for bandwidth and the highest for CPU, each from whichever run had it, without intervals; the CPU is the mean of client and server there, and their sum here",
		Hint:    "here every run is a sample; medians are lower than the charts' maxima",
	},
	{
		Code:    "source-cpu",
		Message: "the source's .results, spreadsheet and results.prom have user and system time alone, over a window that on the server is diluted by seconds without load; here all modes are taken from the series, over the seconds that iperf3 measured, or the value is partial",
		Hint:    "what encryption and datapaths cost in softirq is not in the published tables",
	},
	{
		Code:    "source-udp",
		Message: "UDP was sent as fast as the sender could (-b 0): loss shows an overload, and goodput what survived it",
		Hint:    "rank by a rate without loss instead",
	},
}

// ibLessons compares, while trials pass by, what the charts show with what all
// runs say.
type ibLessons struct {
	rates map[string][]float64 // by "variant cell"
	// softirq is the largest share of softirq in the busy CPU, and where.
	softirq float64
	where   string
}

func newIBLessons() *ibLessons { return &ibLessons{rates: map[string][]float64{}} }

func (l *ibLessons) note(d *draft) {
	if d.failure != "" {
		return
	}
	for _, name := range []string{throughput.Name, goodput.Name} {
		if x, ok := d.value(name); ok {
			place := d.variant + " " + d.cell
			l.rates[place] = append(l.rates[place], x)
		}
	}
	busy, ok := d.value(cpu.Name)
	soft, okToo := d.value("cpu-softirq")
	if ok && okToo && soft/busy > l.softirq {
		l.softirq, l.where = soft/busy, fmt.Sprintf("%s %s, run %d", d.variant, d.cell, d.block)
	}
}

func (l *ibLessons) warnings() []result.Warning {
	var list []result.Warning
	best, where := 0.0, ""
	for _, place := range slices.Sorted(maps.Keys(l.rates)) {
		xs := l.rates[place]
		var mean float64
		for _, x := range xs {
			mean += x / float64(len(xs))
		}
		if gain := slices.MaxFunc(xs, cmp.Compare[float64])/mean - 1; gain > best {
			best, where = gain, place
		}
	}
	if best > 0 {
		list = append(list, result.Warning{
			Code:    "source-best-of",
			Message: fmt.Sprintf("taking the best run, as the published charts do, shows up to %.1f %% more than the mean of the runs (%s)", 100*best, where),
			Hint:    "it favours variants whose runs scatter",
		})
	}
	if l.softirq > 0 {
		list = append(list, result.Warning{
			Code:    "source-softirq",
			Message: fmt.Sprintf("softirq, which the source's tables leave out, is up to %.0f %% of the busy CPU (%s)", 100*l.softirq, l.where),
			Hint:    "compare CPU by the series alone",
		})
	}
	return list
}
