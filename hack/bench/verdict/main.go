// Command verdict simulates the time to a verdict: hack/bench.sh verdict, or
// make bench TOPIC=verdict. Interleaved blocks with the exact test within them
// stand against a published guide's protocol, ten runs of 60 s of one variant,
// then ten of the other, and Welch's t-test. Both are asked for the same: to find
// a true 8 % at margin 3 % in 95 of 100 campaigns, and to claim an effect of 3 %
// to be beyond the margin in 2.5 of 100 at most. The noise is what validation
// campaigns measured. All but how long it takes depends on the seed alone.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cnibench/cnibench/hack/validation/blocks"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is what all tables need.
type bench struct {
	samples int
	seed    uint64
	out     io.Writer
}

func run(args []string, out io.Writer) error {
	b := bench{out: out}
	flags := flag.NewFlagSet("verdict", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.IntVar(&b.samples, "samples", 2000, "campaigns simulated per figure")
	flags.Uint64Var(&b.seed, "seed", 1, "of the random numbers")
	var own noise
	flags.Float64Var(&own.fast, "fast", 0, "noise by the second instead of the measured one, as a fraction")
	flags.Float64Var(&own.slow, "slow", 0, "slow noise, with -fast")
	flags.Float64Var(&own.constant, "constant", 10, "its time constant in seconds, with -fast")
	flags.Float64Var(&own.overhead, "overhead", 0.6, "of a trial in seconds, with -fast")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.samples < 100 {
		return fmt.Errorf("%d samples say nothing: 100 at least", b.samples)
	}
	if own.fast > 0 {
		return b.compare("noise as given", own)
	}
	files := flags.Args()
	if len(files) == 0 {
		files = []string{"docs/validation/aa.csv", "docs/validation/free.csv"}
	}
	for _, file := range files {
		table, err := blocks.ReadFile(file)
		if err != nil {
			return err
		}
		n, err := noiseOf(table)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := b.compare(fmt.Sprintf("noise of %s, %d blocks", file, len(table.Rows)), n); err != nil {
			return err
		}
	}
	return nil
}

// printf prints; there is nothing to do about a terminal that is gone.
func (b bench) printf(format string, args ...any) { _, _ = fmt.Fprintf(b.out, format, args...) }
