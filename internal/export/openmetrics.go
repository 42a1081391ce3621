package export

import (
	"context"
	"io"
	"time"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/result"
)

// Options choose what is exported.
type Options struct {
	Only Selection
	// Series adds what was sampled during each trial, from the evidence.
	Series bool
	// Scratch is where families of the evidence wait for their turn, in
	// compressed files that are gone at the end; empty: the system's place for
	// such files.
	Scratch string
}

// Outcome says what was exported.
type Outcome struct {
	Attempts int // selected
	// Rows of the tidy table; Unmeasured are those that have a reason instead
	// of a value.
	Rows, Unmeasured int
	Files            int // of the evidence, whole
	// Bare lists the ok trials without any series in their evidence.
	Bare []result.Trial
	// Damaged lists files of the evidence that were left out, as the text says
	// too.
	Damaged []Damage
}

// Damage is a file of the evidence that could not be read.
type Damage struct {
	Trial result.Trial
	Name  string // of the file, without .om.zst
	Err   error  // names the file, and the line where there is one
}

// OpenMetrics writes results as OpenMetrics 1.0. Memory is bounded by the
// journal and by the evidence of one node in one trial. A damaged file of the
// evidence is no error: it is left out, as a whole, and Outcome has it.
func OpenMetrics(ctx context.Context, w io.Writer, s Source, o Options) (outcome Outcome, err error) {
	spool := &spool{dir: o.Scratch, families: map[string]*spooled{}}
	defer func() {
		if closing := spool.close(); err == nil {
			err = closing
		}
	}()
	selected := make([]result.Trial, 0, len(s.Trials))
	for _, t := range s.Trials {
		if o.Only.trial(t.Variant, t.Cell) {
			selected = append(selected, t)
		}
	}
	outcome.Attempts = len(selected)
	if o.Series {
		// Before anything is written: what is damaged is among the first families.
		if err := spool.collect(ctx, s, selected, &outcome); err != nil {
			return outcome, err
		}
	}
	x := exporter{source: s, only: o.Only, trials: selected, out: openmetrics.NewStream(w), campaign: s.campaign(), ended: s.ended()}
	x.describe()
	x.attempts(outcome)
	x.summaries()
	x.comparisons()
	if x.err != nil {
		return outcome, x.err
	}
	if err := spool.write(ctx, x.out); err != nil {
		return outcome, err
	}
	return outcome, x.out.Close()
}

// exporter writes families; the first error stays.
type exporter struct {
	source   Source
	only     Selection
	trials   []result.Trial // selected
	out      *openmetrics.Stream
	campaign labels    // of every series
	ended    time.Time // of what describes the campaign
	err      error
}

// family starts a gauge. A unit is part of its name.
func (x *exporter) family(name, unit, help string) {
	if x.err == nil {
		x.err = x.out.Begin(openmetrics.Family{Name: name, Type: openmetrics.Gauge, Unit: unit, Help: help})
	}
}

// add adds a sample to the family that was started last.
func (x *exporter) add(l labels, at time.Time, value float64) {
	if x.err == nil {
		x.err = x.out.Add(openmetrics.Series{Labels: l, Points: []openmetrics.Point{{At: at, Value: value}}})
	}
}

// state adds a sample about the campaign as a whole.
func (x *exporter) state(l labels, value float64) { x.add(l, x.ended, value) }
