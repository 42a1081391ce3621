package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/cnibench/cnibench/hack/validation/blocks"
	"github.com/cnibench/cnibench/internal/stats"
)

// found is what the shaped campaigns say. A campaign is judged when all its
// blocks are done, as cnibench judges it: two primary comparisons, one family.
type found struct {
	blocks          int
	whole           []string // campaigns that are judged
	begun           int
	reduced, same   map[stats.Verdict]int
	reducedD, sameD []float64 // ln of the ratio to full, of all whole campaigns' blocks
	rate            map[string]float64
}

// judgeShaped judges every campaign whose blocks are all there.
func judgeShaped(t blocks.Table) (found, error) {
	full, same, reduced := 0, 1, 2
	if got := strings.Join(t.Arms, " "); got != strings.Join(shaped.names(), " ") {
		return found{}, fmt.Errorf("the arms are %s", got)
	}
	f := found{reduced: map[stats.Verdict]int{}, same: map[stats.Verdict]int{}, rate: map[string]float64{}}
	var judged []blocks.Row
	for _, name := range t.Campaigns() {
		rows := t.Of(name)
		if len(rows) < shaped.blocks {
			f.begun++
			continue
		}
		s, r := blocks.Differences(rows, full, same), blocks.Differences(rows, full, reduced)
		if len(s) == 0 || len(r) == 0 {
			return f, fmt.Errorf("%s has blocks and no pair of them", name)
		}
		v, err := verdicts([][]float64{s, r})
		if err != nil {
			return f, fmt.Errorf("%s: %w", name, err)
		}
		f.same[v[0]]++
		f.reduced[v[1]]++
		f.whole = append(f.whole, name)
		f.sameD, f.reducedD = append(f.sameD, s...), append(f.reducedD, r...)
		judged = append(judged, rows...)
	}
	f.blocks = len(judged)
	for i, arm := range t.Arms {
		var all []float64
		for _, r := range judged {
			if !math.IsNaN(r.Values[i]) {
				all = append(all, r.Values[i])
			}
		}
		if len(all) > 0 {
			summary, err := stats.Summarize(all, 0.95)
			if err != nil {
				return f, err
			}
			f.rate[arm] = summary.Median
		}
	}
	return f, nil
}

// text says what came out, in Markdown. Unshaped is the throughput without
// buckets in bit/s, 0 if it was not measured.
func (f found) text(unshaped float64) (string, error) {
	n := len(f.whole)
	if n == 0 {
		return notRun, nil
	}
	var b strings.Builder
	done := n >= shaped.campaigns
	if done {
		fmt.Fprintf(&b, "All %d campaigns are done.\n\n", n)
	} else {
		fmt.Fprintf(&b, "**Partial: %d of %d campaigns so far.**\n\n", n, shaped.campaigns)
	}
	wrong := f.same[stats.Better] + f.same[stats.Worse]
	b.WriteString("| what | goal | measured | |\n|---|---|---|---|\n")
	fmt.Fprintf(&b, "| 0.90 R against R is `worse` | in 19 of 20 or more | %d of %d | %s |\n", f.reduced[stats.Worse], n, metText(20*f.reduced[stats.Worse] >= 19*n, done))
	fmt.Fprintf(&b, "| R against R is `better` or `worse` | never | %d of %d; %d `equivalent`, %d `inconclusive` | %s |\n",
		wrong, n, f.same[stats.Equivalent], f.same[stats.Inconclusive], metText(wrong == 0, done))
	if unshaped > 0 {
		share := fullRate / unshaped
		fmt.Fprintf(&b, "| R against the unshaped throughput (median of the A/A campaigns on free links) | at most half | %s of %s: %s | %s |\n",
			bitrate(fullRate), bitrate(unshaped), percent(share), metText(share <= 0.5, true))
	}
	for _, x := range []struct {
		what  string
		d     []float64
		truth float64
	}{{"0.90 R against R", f.reducedD, float64(reducedRate)/fullRate - 1}, {"R against R", f.sameD, 0}} {
		shift, err := stats.PairedShift(x.d, 0.95)
		if err != nil {
			return "", err
		}
		noise, err := stats.NoiseOf(x.d, 0.95)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n%s over all %d blocks: %s (%s)%s; standard deviation of a difference %.2f %%, robust %.2f %%.\n", x.what, len(x.d),
			signed(shift.Estimate), span(shift.Interval), truthText(x.truth), 100*noise.SD, 100*noise.Robust)
	}
	fmt.Fprintf(&b, "\nMedian throughput: %s, %s and %s, payload of TCP.\n", bitrate(f.rate["full"]), bitrate(f.rate["same"]), bitrate(f.rate["reduced"]))
	return b.String(), nil
}

func truthText(x float64) string {
	if x == 0 {
		return ", the buckets' rates are the same"
	}
	return fmt.Sprintf(", the buckets' rates differ by %.0f %%", 100*x)
}

// signed prints a logarithm of a ratio as a change in per cent.
func signed(d float64) string { return fmt.Sprintf("%+.2f %%", 100*math.Expm1(d)) }

func span(iv stats.Interval) string {
	if iv.Absent != "" {
		return iv.Absent
	}
	return fmt.Sprintf("95 %% interval %s to %s", signed(iv.Low), signed(iv.High))
}
