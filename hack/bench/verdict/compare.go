package main

import (
	"fmt"
	"math"

	"github.com/cnibench/cnibench/internal/stats"
)

// published is the guide's protocol as it is written.
var published = protocol{name: "10 x 60 s, then 10 x 60 s, Welch", seconds: 60, trials: 10, measure: sequential}

// compare prints a table for no drift, and for 5 % and 10 % in the time that the
// published protocol takes, in either direction. Each protocol is planned for
// the noise without drift, because nobody knows the drift.
func (b bench) compare(title string, n noise) error {
	b.printf("\n== verdict: %s\n", title)
	b.printf("   by the second %.2f %%, slowly %.2f %% with a time constant of %.0f s; a trial takes %.2f s besides its load\n",
		100*n.fast, 100*n.slow, n.constant, n.overhead)
	calm := simulation{noise: n, samples: b.samples, seed: b.seed}
	rivals, err := planned(calm, protocol{name: "60 s, one after the other, Welch", seconds: 60, measure: sequential}, 2)
	if err != nil {
		return err
	}
	least, err := stats.MinBlocks(stats.VerdictAlpha, 1)
	if err != nil {
		return err
	}
	var ours []protocol
	for _, seconds := range []int{1, 2, 5, 10} {
		p := protocol{name: fmt.Sprintf("blocks of 2 x %d s, signed ranks", seconds), seconds: seconds, measure: blocked, test: &signedRank{}}
		some, err := planned(calm, p, least)
		if err != nil {
			return err
		}
		ours = append(ours, some...)
	}
	for _, seconds := range []int{1, 2, 5, 10} {
		ours = append(ours, protocol{name: fmt.Sprintf("10, 15 or 20 blocks of 2 x %d s, looks", seconds), seconds: seconds, measure: looking})
	}
	length := 2 * float64(published.trials) * (float64(published.seconds) + n.overhead)
	for _, drift := range []float64{0, 0.05, 0.10} {
		s := calm
		s.drift = drift / length
		b.printf("\n   drift %.0f %% in %.0f minutes\n", 100*drift, length/60)
		b.printf("   %-38s %7s %9s   %-10s %-22s %s\n", "protocol", "trials", "time", "8 % found", "3 % said to be beyond", "difference of nothing")
		if err := b.underDrift(s, rivals, ours); err != nil {
			return err
		}
	}
	return nil
}

// planned is a protocol with as many trials as it needs; nothing if that is
// more than are looked for.
func planned(s simulation, p protocol, least int) ([]protocol, error) {
	p, can, err := s.smallest(p, least)
	if err != nil || !can {
		return nil, err
	}
	return []protocol{p}, nil
}

// underDrift prints a row for each protocol, and how much less time the fastest
// blocks take that hold power and size.
func (b bench) underDrift(s simulation, rivals, ours []protocol) error {
	asPublished, err := s.sharesOf(published)
	if err != nil {
		return err
	}
	b.row(published, asPublished)
	_, theirs, err := b.fastest(s, rivals)
	if err != nil {
		return err
	}
	best, length, err := b.fastest(s, ours)
	if err != nil {
		return err
	}
	if length == 0 {
		b.printf("   no number of blocks up to %d gives a verdict with the wanted power and size\n", most)
		return nil
	}
	b.printf("   %s: %.0f s; the protocol as published takes %.1f times that", best.name, length, asPublished.length/length)
	if theirs > 0 {
		b.printf(", as few runs of 60 s as do %.1f times\n", theirs/length)
		return nil
	}
	b.printf("; as few runs of 60 s as do without drift no longer hold power or size\n")
	return nil
}

// fastest prints protocols and returns the fastest that holds power and size but
// for chance, with its length in seconds; 0: none does.
func (b bench) fastest(s simulation, protocols []protocol) (best protocol, length float64, err error) {
	for _, p := range protocols {
		r, err := s.sharesOf(p)
		if err != nil {
			return best, 0, err
		}
		b.row(p, r)
		holds := r.beyond <= stats.VerdictAlpha+3*standardError(stats.VerdictAlpha, b.samples) && r.found >= power-3*standardError(power, b.samples)
		if holds && (length == 0 || r.length < length) {
			best, length = p, r.length
		}
	}
	return best, length, nil
}

// row prints what one protocol does.
func (b bench) row(p protocol, r shares) {
	trials := "looks"
	if p.trials > 0 {
		trials = fmt.Sprint(p.trials)
	}
	b.printf("   %-38s %7s %7.0f s   %6.1f %%   %6.1f %%               %6.1f %%\n", p.name, trials, r.length, 100*r.found, 100*r.beyond, 100*r.difference)
}

// standardError is that of a simulated share.
func standardError(share float64, samples int) float64 {
	return math.Sqrt(share * (1 - share) / float64(samples))
}
