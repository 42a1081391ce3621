package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cnibench/cnibench/hack/validation/blocks"
)

// noise is how logarithms of throughput scatter: by the second, independently,
// and slowly, as a first-order autoregression with a time constant.
type noise struct {
	fast, slow float64 // standard deviations
	constant   float64 // seconds
	// overhead is the time of a trial besides its load, in seconds.
	overhead float64
}

// lags is up to how many trials later a trial is compared with, to tell slow
// noise from fast; close are the first of them.
const (
	lags  = 6
	close = 3
)

// noiseOf fits the noise to measured trials of one second, by moments: what
// trials have in common with the next ones is slow, and its decay from lags 1–3
// to lags 4–6 gives the time constant. It fails where there are too few trials.
func noiseOf(t blocks.Table) (noise, error) {
	var sums, counts [lags + 1]float64
	var gaps []float64
	for _, campaign := range t.Campaigns() {
		rows := t.Of(campaign)
		xs := sequence(t.Arms, rows)
		for k := range sums {
			for i := 0; i+k < len(xs); i++ {
				sums[k] += xs[i] * xs[i+k]
				counts[k]++
			}
		}
		for i := 1; i < len(rows); i++ {
			gaps = append(gaps, rows[i].Start.Sub(rows[i-1].Start).Seconds()/float64(len(t.Arms)))
		}
	}
	if counts[lags] < 50 {
		return noise{}, fmt.Errorf("%.0f trials are too few to tell their noise", counts[0])
	}
	slices.Sort(gaps)
	spacing := gaps[len(gaps)/2]
	covariance := func(from, to int) float64 {
		sum := 0.0
		for k := from; k <= to; k++ {
			sum += sums[k] / counts[k]
		}
		return sum / float64(to-from+1)
	}
	total, near, far := covariance(0, 0), max(0, covariance(1, close)), max(0, covariance(close+1, lags))
	n := noise{overhead: spacing - 1, constant: spacing}
	if near > 0 {
		decay := min(max(math.Cbrt(far/near), 0.2), 0.95) // from one trial to the next
		n.constant = -spacing / math.Log(decay)
		middle := decay * (1 + decay + decay*decay) / close
		n.slow = math.Sqrt(min(near/middle, total))
	}
	n.fast = math.Sqrt(max(0, total-n.slow*n.slow))
	return n, nil
}

// sequence returns the logarithms of a campaign's values in the order of
// measurement, less each arm's own mean. Trials without a value are left out.
func sequence(arms []string, rows []blocks.Row) []float64 {
	means := make([]float64, len(arms))
	for i := range arms {
		sum, count := 0.0, 0
		for _, r := range rows {
			if !math.IsNaN(r.Values[i]) {
				sum, count = sum+math.Log(r.Values[i]), count+1
			}
		}
		means[i] = sum / float64(max(1, count))
	}
	var xs []float64
	for _, r := range rows {
		for _, arm := range r.Order {
			if i := slices.Index(arms, arm); i >= 0 && !math.IsNaN(r.Values[i]) {
				xs = append(xs, math.Log(r.Values[i])-means[i])
			}
		}
	}
	return xs
}

// world is a machine on which trials are simulated, one after the other.
type world struct {
	noise
	drift  float64 // of the logarithm per second
	random *rand.Rand
	time   float64 // seconds
	state  float64 // of the slow noise
}

// newWorld starts at time 0 in a state that is as likely as any.
func newWorld(n noise, drift float64, random *rand.Rand) *world {
	return &world{noise: n, drift: drift, random: random, state: n.slow * random.NormFloat64()}
}

// trial returns the mean of so many seconds of load, as a logarithm.
func (w *world) trial(seconds int) float64 {
	w.pass(w.overhead)
	sum := 0.0
	for range seconds {
		w.pass(1)
		sum += w.state + w.drift*w.time + w.fast*w.random.NormFloat64()
	}
	return sum / float64(seconds)
}

// pass lets time go by.
func (w *world) pass(seconds float64) {
	keep := math.Exp(-seconds / w.constant)
	w.state = keep*w.state + math.Sqrt(1-keep*keep)*w.slow*w.random.NormFloat64()
	w.time += seconds
}
