package probe

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// watchPoll is how often a watch looks whether what it awaits has settled.
const watchPoll = 5 * time.Millisecond

// watch tries to reach targets and remembers what came of it.
type watch struct {
	spec  WatchSpec
	start time.Time

	mu   sync.Mutex
	logs map[string]*attemptLog
}

// attemptLog holds attempts in the order in which they began. One without an
// outcome is still under way.
type attemptLog struct {
	attempts []*Attempt
	awaited  bool
	retired  bool
}

// startWatch begins to try all targets, until ctx ends. The targets' attempts
// are spread over the interval.
func startWatch(ctx context.Context, spec WatchSpec) (*watch, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	w := &watch{spec: spec, start: time.Now(), logs: map[string]*attemptLog{}}
	w.begin(ctx, spec.Targets)
	return w, nil
}

// begin tries targets from now on.
func (w *watch) begin(ctx context.Context, targets []WatchTarget) {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := time.Since(w.start)
	for i, t := range targets {
		w.logs[t.Name] = &attemptLog{}
		offset := since + time.Duration(i)*w.spec.Interval/time.Duration(len(targets))
		go w.try(ctx, t, w.logs[t.Name], offset)
	}
}

// add begins to try targets that came later.
func (w *watch) add(ctx context.Context, targets []WatchTarget) error {
	if err := validateTargets(targets, w.targets()); err != nil {
		return err
	}
	w.begin(ctx, targets)
	return nil
}

// try makes one attempt per interval. Where it is late, it leaves attempts out:
// several at once would say the same.
// The first begins at offset, from the watch's start.
func (w *watch) try(ctx context.Context, t WatchTarget, log *attemptLog, offset time.Duration) {
	timer := time.NewTimer(offset - time.Since(w.start))
	defer timer.Stop()
	for due := offset; ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		w.attempt(t, log)
		now := time.Since(w.start)
		due += (1 + (now-due)/w.spec.Interval) * w.spec.Interval
		timer.Reset(due - now)
	}
}

// attempt begins an attempt and returns; its outcome is noted when it is known.
func (w *watch) attempt(t WatchTarget, log *attemptLog) {
	w.mu.Lock()
	if log.retired || w.spec.OnDemand && !log.awaited {
		w.mu.Unlock()
		return
	}
	begun := time.Now()
	entry := &Attempt{At: begun.Sub(w.start).Seconds()}
	log.attempts = append(log.attempts, entry)
	w.mu.Unlock()

	pending, err := beginAttempt(t, begun.Add(w.spec.Timeout))
	sent := time.Since(w.start).Seconds()
	finish := func(err error) {
		took := time.Since(begun).Seconds()
		w.mu.Lock()
		defer w.mu.Unlock()
		entry.Sent, entry.Took, entry.Outcome = sent, took, Reached
		if err != nil {
			entry.Outcome = reachReason(err)
		}
	}
	if err != nil {
		finish(err)
		return
	}
	go func() { finish(pending()) }()
}

// await returns when what a wants has settled, or is over its limit, with all
// attempts that have an outcome since the last call.
func (w *watch) await(ctx context.Context, a WatchAwait) (Watched, error) {
	if err := a.validate(w.targets()); err != nil {
		return Watched{}, err
	}
	w.mark(a.Want, true)
	defer w.mark(a.Want, false)
	since := time.Since(w.start).Seconds()
	limit := time.NewTimer(a.Limit)
	defer limit.Stop()
	poll := time.NewTicker(watchPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return Watched{}, context.Cause(ctx)
		case <-limit.C:
			return w.take(false), nil
		case <-poll.C:
			if w.settled(a, since) {
				return w.take(true), nil
			}
		}
	}
}

// mark notes which targets are awaited.
func (w *watch) mark(want map[string]bool, awaited bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range want {
		w.logs[name].awaited = awaited
	}
}

func (w *watch) targets() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := map[string]bool{}
	for name := range w.logs {
		names[name] = true
	}
	return names
}

// settled tells whether everything that a wants holds.
func (w *watch) settled(a WatchAwait, since float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := true
	for name, reached := range a.Want {
		log := w.logs[name]
		if log.retired && a.Retire {
			continue
		}
		if !Settled(log.known(a.Settle), reached, a.Settle, since) {
			all = false
			continue
		}
		log.retired = a.Retire
	}
	return all
}

// known are the last attempts with an outcome that none without one precedes,
// at most so many: what waits long must not copy all of them every time.
func (l *attemptLog) known(most int) []Attempt {
	end := slices.IndexFunc(l.attempts, func(a *Attempt) bool { return a.Outcome == "" })
	if end < 0 {
		end = len(l.attempts)
	}
	known := make([]Attempt, 0, min(most, end))
	for _, a := range l.attempts[max(end-most, 0):end] {
		known = append(known, *a)
	}
	return known
}

// take hands out the attempts with an outcome and keeps the last of them.
func (w *watch) take(settled bool) Watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := Watched{Start: w.start.UTC(), Settled: settled, Attempts: map[string][]Attempt{}}
	for name, log := range w.logs {
		known := log.known(len(log.attempts))
		taken.Attempts[name] = known
		log.attempts = log.attempts[max(len(known)-1, 0):]
		log.retired = false
	}
	return taken
}

// readBootID returns what tells this running kernel from all others.
func readBootID() (string, error) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("reading the boot id: %w", err)
	}
	return strings.TrimSpace(string(id)), nil
}
