// Command probe measures what the probe costs: hack/bench.sh probe, or make
// bench TOPIC=probe. It needs root, the programs that make build makes, and the
// Debian packages of make test-tools. Finished parts and pairs stay in a
// directory, so that what was interrupted goes on; -fresh begins anew.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// bench is what all parts need.
type bench struct {
	cnibench, probe string // programs
	dir             string // results
	length          time.Duration
	maxPairs        int
	out             io.Writer
}

// parts are what can be measured, in order.
var parts = []struct {
	name, about string
	measure     func(context.Context, *bench) error
}{
	{"cost", "own cost at 1 Hz, size of series, time to fetch them", cost},
	{"overhead", "throughput with the probe on against off", overhead},
	{"truth", "agreement with other accounts over a minute", truth},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}

func run(ctx context.Context, args []string) error {
	b := &bench{out: os.Stdout}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.cnibench, "cnibench", "bin/cnibench", "the program")
	flags.StringVar(&b.probe, "probe", "internal/lab/supply/programs/cnibench-probe", "the embedded program")
	flags.StringVar(&b.dir, "dir", "bin/bench/probe", "where results are kept")
	flags.DurationVar(&b.length, "length", 10*time.Minute, "how long costs are measured; the short form is 2m")
	flags.IntVar(&b.maxPairs, "max-pairs", 400, "how many pairs of trials at most")
	only := flags.String("parts", "cost,overhead,truth", "what to measure")
	fresh := flags.Bool("fresh", false, "measure again what has been measured")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *fresh {
		if err := os.RemoveAll(b.dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	b.printf("%s\n", machine())
	for _, p := range parts {
		if !strings.Contains(","+*only+",", ","+p.name+",") {
			continue
		}
		if err := b.part(ctx, p.name, p.about, p.measure); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// printf prints; there is nothing to do about a terminal that is gone.
func (b *bench) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(b.out, format, args...)
}

// part measures a part unless that is done, and prints its table.
func (b *bench) part(ctx context.Context, name, about string, measure func(context.Context, *bench) error) error {
	b.printf("\n== %s: %s\n   hack/bench.sh probe -parts %s -length %s\n", name, about, name, b.length)
	file := filepath.Join(b.dir, name+".txt")
	if done, err := os.ReadFile(file); err == nil {
		b.printf("%s   (measured before; -fresh measures again)\n", done)
		return nil
	}
	var table strings.Builder
	to := *b
	to.out = &table
	err := measure(ctx, &to)
	b.printf("%s", table.String())
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte("   on "+machine()+"\n"+table.String()), 0o644)
}

// machine says in a line what figures depend on.
func machine() string {
	var name unix.Utsname
	release := "?"
	if err := unix.Uname(&name); err == nil {
		release = unix.ByteSliceToString(name.Release[:])
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("? ")
	}
	recent, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("Linux %s, %s, %d CPUs of type %s, load %s", release, runtime.GOARCH, runtime.NumCPU(), model(), recent)
}

func model() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "?"
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "?"
}
