// Command validation proves on real labs that verdicts hold, started by
// hack/validate.sh: comparisons of a variant with itself, which must find
// nothing, and links shaped to known rates, whose difference must be found. What
// was measured is kept in docs/validation as one row a block; docs/validation.md
// is made from that alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// settings are what the command line says.
type settings struct {
	cnibench string        // the program that measures
	results  string        // where results directories are
	data     string        // where tables are
	page     string        // what is written from them
	length   time.Duration // of measuring, this time
	most     int           // campaigns, this time
	out      io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "validation:", err)
		os.Exit(1)
	}
}

const usage = `usage: validation aa|free|shaped|page [flags]

aa      measures a variant against itself on links of one rate, as root, until
        done or until -length or -campaigns is reached
free    the same on links as fast as the machine
shaped  measures links of known rates against each other
page    writes docs/validation.md and its plot from what was measured so far

What is interrupted goes on where it was.

`

func run(ctx context.Context, args []string, out io.Writer) error {
	s := settings{out: out}
	flags := flag.NewFlagSet("validation", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() { _, _ = fmt.Fprint(out, usage); flags.PrintDefaults() }
	flags.StringVar(&s.cnibench, "cnibench", "bin/cnibench", "the program that measures")
	flags.StringVar(&s.results, "results", "results/validation", "directory of the results directories")
	flags.StringVar(&s.data, "data", "docs/validation", "directory of the tables and the plot")
	flags.StringVar(&s.page, "page", "docs/validation.md", "what is written from them")
	flags.DurationVar(&s.length, "length", 2*time.Hour, "measure no longer than this, now")
	flags.IntVar(&s.most, "campaigns", 100, "measure at most so many campaigns, now")
	if len(args) == 0 {
		flags.Usage()
		return errors.New("say what to do: aa, free, shaped or page")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if args[0] == "page" {
		return writePage(s)
	}
	for _, k := range kinds {
		if k.name == args[0] {
			if err := measure(ctx, s, k); err != nil {
				return err
			}
			return writePage(s)
		}
	}
	flags.Usage()
	return fmt.Errorf("there is no %s: aa, free, shaped or page", args[0])
}

// table returns the file of a kind's table.
func (s settings) table(k kind) string { return filepath.Join(s.data, k.name+".csv") }

// say prints; there is nothing to do about a terminal that is gone.
func (s settings) say(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format, args...) }
