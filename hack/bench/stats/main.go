// Command stats simulates what the verdicts promise: hack/bench.sh stats, or
// make bench TOPIC=stats. How often intervals hold the truth, how often a
// verdict is false, what an effect must be to be found, and how long it takes to
// compute. All but the last depend on the seed alone.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
)

// bench is what all parts need.
type bench struct {
	samples int // simulated per row
	seed    uint64
	out     io.Writer
}

// parts are what can be simulated, in order.
var parts = []struct {
	name, about string
	simulate    func(*bench) error
}{
	{"coverage", "how often 95 % intervals hold the truth", coverage},
	{"alarms", "how often a verdict is false when the effect equals the margin", alarms},
	{"adaptive", "the same for campaigns that stop on precision at 10, 15 or 20 blocks", adaptive},
	{"power", "what is found at margin 3 %, one-sided 0.025, and how many blocks it takes", power},
	{"speed", "time to compare 23 variants over 9 tests of 10 blocks, all pairs", speed},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	b := &bench{out: os.Stdout}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&b.samples, "samples", 20_000, "how many samples per row")
	flags.Uint64Var(&b.seed, "seed", 1, "of the random numbers")
	only := flags.String("parts", "coverage,alarms,adaptive,power,speed", "what to simulate")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.samples < 100 {
		return fmt.Errorf("%d samples say nothing: 100 at least", b.samples)
	}
	for _, p := range parts {
		if !strings.Contains(","+*only+",", ","+p.name+",") {
			continue
		}
		b.printf("\n== %s: %s\n   hack/bench.sh stats -parts %s -samples %d -seed %d\n", p.name, p.about, p.name, b.samples, b.seed)
		if err := p.simulate(b); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// printf prints; there is nothing to do about a terminal that is gone.
func (b *bench) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(b.out, format, args...)
}

func (b *bench) random() *rand.Rand { return rand.New(rand.NewPCG(b.seed, 0)) }
