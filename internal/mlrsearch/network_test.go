package mlrsearch

import (
	"context"
	"math"
	"math/rand/v2"
	"time"
)

// network is a simulated path: it answers a trial with a loss ratio and
// counts time.
type network struct {
	loss     func(load, seconds, at float64) float64
	overhead time.Duration
	at       time.Duration
	trials   []Trial
}

func (n *network) Measure(_ context.Context, t Trial) (Outcome, error) {
	n.trials = append(n.trials, t)
	o := Outcome{LossRatio: n.loss(t.Load, t.Duration.Seconds(), n.at.Seconds()), Elapsed: t.Duration + n.overhead}
	n.at += o.Elapsed
	return o, nil
}

// bucket is a token bucket: rate tokens a second, and depth tokens at the
// beginning of each trial (its burst and the queue behind it).
func bucket(rate, depth float64) func(load, seconds, at float64) float64 {
	return func(load, seconds, _ float64) float64 {
		offered := load * seconds
		return max(0, 1-(rate*seconds+depth)/offered)
	}
}

// lossy drops each frame with probability p, besides what inner drops. Frames
// are counted in whole ones; for many the count is its normal approximation.
func lossy(random *rand.Rand, p float64, inner func(load, seconds, at float64) float64) func(load, seconds, at float64) float64 {
	return func(load, seconds, at float64) float64 {
		frames := float64(int(load * seconds))
		passed := frames * (1 - inner(load, seconds, at))
		mean := passed * p
		lost := 0
		if mean < 50 {
			for sum := random.ExpFloat64(); sum < mean; sum += random.ExpFloat64() {
				lost++
			}
		} else {
			lost = int(max(0, mean+random.NormFloat64()*math.Sqrt(mean*(1-p))))
		}
		return min(1, max(0, 1-(passed-float64(lost))/frames))
	}
}

// worsening loses share of its rate each second.
func worsening(rate, share float64) func(load, seconds, at float64) float64 {
	return func(load, seconds, at float64) float64 {
		return bucket(rate*max(0.01, 1-share*at), 0)(load, seconds, at)
	}
}
