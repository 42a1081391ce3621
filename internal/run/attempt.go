package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
	"github.com/cnibench/cnibench/internal/stage"
)

// attemptGrace is what a trial may take beyond its load: making pods and
// Services, and waiting for them.
const attemptGrace = 3 * time.Minute

// limitOf bounds a trial that is expected to take so long. What is expected of
// hundreds of pods and thousands of Services is what they took on a quiet
// machine of two cores; others take twice that.
func limitOf(expected time.Duration) time.Duration { return 2*expected + attemptGrace }

// attempt measures once and journals what came of it. Its error is one of the
// run, such as a full disk or an interrupt; the trial is not journaled then.
func (r *Runner) attempt(ctx context.Context, a *arm, armErr error, p plan.Trial) (result.Trial, error) {
	number := r.Writer.NextAttempt(result.KeyOf(p))
	dir, relative, err := r.Writer.MakeRaw(result.KeyOf(p), number)
	if err != nil {
		return result.Trial{}, err
	}
	t := result.Trial{
		Schema: result.SchemaVersion, Block: p.Block, Position: p.Position, Variant: p.Variant.Name,
		Cell: p.Cell.ID, Scenario: p.Cell.Scenario, Attempt: number, Start: time.Now().UTC(), Raw: relative,
	}
	r.emit(Event{Kind: TrialBegun, Variant: p.Variant.Name, Trial: &t})
	m, err := stage.Measurement{}, armErr
	if err == nil {
		m, err = a.run(ctx, r.Scenarios, p, dir)
		err = a.dismiss(ctx, err)
	}
	if ctx.Err() != nil {
		r.tellAltered(a, p.Variant.Name, err)
		return t, ctx.Err()
	}
	if err == nil {
		r.askPrometheus(ctx, &m)
		err = fill(&t, m)
	}
	t.End = time.Now().UTC()
	t.Status, t.Reason = judge(err)
	if t.Status != result.OK && a != nil {
		// Evidence that cannot be had must not hide the failure itself.
		if err := a.collect(ctx, dir); err != nil {
			r.emit(Event{Kind: Troubled, Variant: p.Variant.Name, Step: "collecting evidence: " + err.Error()})
		}
	}
	return t, r.append(t)
}

// tellAltered says what no trial tells of a variant that could not be put back.
func (r *Runner) tellAltered(a *arm, variant string, err error) {
	if a == nil || !a.altered || err == nil {
		return
	}
	var altered *stage.AlteredError
	if errors.As(err, &altered) {
		err = altered
	}
	r.emit(Event{Kind: Troubled, Variant: variant, Step: err.Error()})
}

// fill makes t an ok trial, unless its values are none that can be compared.
func fill(t *result.Trial, m stage.Measurement) error {
	full := *t
	full.Status, full.End = result.OK, time.Now().UTC()
	full.Window, full.Values, full.Missing, full.Marks, full.Facts = &m.Window, m.Values, m.Missing, m.Marks, m.Facts
	full.Conditions = m.Conditions
	if err := full.Validate(); err != nil {
		return err
	}
	*t = full
	return nil
}

// judge turns an error of a scenario or of a variant's proof into a trial's
// status. What was not shown to be the variant's datapath is not its result.
func judge(err error) (result.Status, string) {
	var invalid *stage.InvalidError
	var unsupported *stage.UnsupportedError
	var altered *stage.AlteredError
	switch {
	case err == nil:
		return result.OK, ""
	case errors.As(err, &altered):
		return result.Failed, err.Error() // whatever else is wrong
	case errors.As(err, &invalid), isDisproof(err):
		return result.Invalid, err.Error()
	case errors.As(err, &unsupported):
		return result.Unsupported, err.Error()
	}
	return result.Failed, err.Error()
}

// run measures on an arm and finds out whether the cluster's own programs
// lived through it: a figure from a cluster in trouble is no figure.
func (a *arm) run(ctx context.Context, all scenario.Set, p plan.Trial, dir string) (stage.Measurement, error) {
	s, err := all.Find(p.Cell.Scenario)
	if err != nil {
		return stage.Measurement{}, err
	}
	if a.doubtful {
		if err := a.awaitAnswers(ctx); err != nil {
			return stage.Measurement{}, err
		}
	}
	before, err := a.incarnations()
	if err != nil {
		return stage.Measurement{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, limitOf(s.Duration(p.Cell.Parameters)))
	defer cancel()
	m, restarted, err := a.measure(ctx, s, p, dir)
	for _, program := range restarted {
		delete(before, program) // it is what was measured
	}
	var altered *stage.AlteredError
	a.altered = a.altered || errors.As(err, &altered)
	var unsupported *stage.UnsupportedError
	troubled := err != nil && !errors.As(err, &unsupported)
	died, watchErr := a.died(ctx, before, troubled)
	a.doubtful = troubled || died != ""
	if died == "" && ctx.Err() == nil {
		// An end that is gone explains what the other one says, and may have
		// been measured as a network that loses.
		died = strings.Join(a.gone(ctx), ", ")
	}
	if died != "" {
		return m, &diedError{died, err}
	}
	return m, errors.Join(err, watchErr)
}

// dismiss ends the load pods that only this trial needed, and adds to its error
// if they do not go: they would be in the figures of the next one.
func (a *arm) dismiss(ctx context.Context, err error) error {
	for _, i := range a.both() {
		if left := i.Stage.Dismiss(ctx); left != nil {
			a.doubtful = true
			err = errors.Join(err, fmt.Errorf("ending the load pods of the trial: %w", left))
		}
	}
	return err
}

// measure runs a scenario with its load on the CPUs that the cell chooses. It
// also returns which of the cluster's programs the scenario restarted.
func (a *arm) measure(ctx context.Context, s scenario.Scenario, p plan.Trial, dir string) (m stage.Measurement, restarted []string, err error) {
	bench := &stage.Bench{
		Cluster: a.Cluster, Entry: a.Entry, Stage: a.Stage, Raw: dir,
		Installation: stage.Installation{Manifests: a.Manifests, Timeline: a.Timeline, Earlier: a.block != p.Block, Outlives: a.outlives},
		Charts:       a.charts,
		Report:       a.report,
		Restarting:   func(program string) { restarted = append(restarted, program) },
	}
	bench.Peer = a.peerBench(dir)
	bench, facts, err := bench.Pinned(ctx, p.Cell.Parameters)
	if err != nil {
		return stage.Measurement{}, restarted, err
	}
	m, err = s.Measure(ctx, bench, p.Cell)
	if err == nil && len(facts) > 0 {
		if m.Facts == nil {
			m.Facts = map[string]string{}
		}
		maps.Copy(m.Facts, facts)
	}
	return m, restarted, err
}

// noticeTime is how long after a failed trial its cause may take to show: a
// connection breaks before the end of a program is on record.
const noticeTime = 2 * time.Second

// died names the cluster's programs that ended or started since before.
func (a *arm) died(ctx context.Context, before map[string]string, failed bool) (string, error) {
	deadline := time.Now().Add(noticeTime)
	for {
		after, err := a.incarnations()
		names := changed(before, after)
		if names != "" || !failed || time.Now().After(deadline) || ctx.Err() != nil {
			return names, err
		}
		time.Sleep(noticeTime / 20)
	}
}

// diedError says that programs of the cluster, or load pods, ended during a
// trial. Whatever
// else went wrong follows from that.
type diedError struct {
	names string
	then  error // may be nil
}

func (e *diedError) Error() string {
	text := e.names + " ended or was restarted during the trial"
	if e.then != nil {
		text += ": " + e.then.Error()
	}
	return text
}

func changed(before, after map[string]string) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if after != nil && after[name] != before[name] {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
