package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/stage"
)

const (
	// watchInterval is how exactly the moment of a policy's effect is known.
	watchInterval = 5 * time.Millisecond
	// watchTimeout is from when on a connection counts as denied. Pods answer
	// within a millisecond; a busy machine may need many.
	watchTimeout = 300 * time.Millisecond
	// clockTries is how often the clocks are compared. The quickest answer has
	// the narrowest bound.
	clockTries = 8
)

// watcher is a probe in a pod that tries to connect again and again and says
// when a state was reached.
type watcher struct {
	*stage.Session
	clock clock
}

// clock is how a pod's clock stands to ours.
type clock struct {
	Offset time.Duration `json:"offsetNs"` // the pod's less ours
	Bound  time.Duration `json:"boundNs"`  // of the offset's error; 0: it is the same clock
}

// here translates a time of the pod's clock into ours.
func (c clock) here(t time.Time) time.Time { return t.Add(-c.Offset) }

func (c clock) String() string {
	if c.Bound == 0 {
		return "the pod's clock is cnibench's own"
	}
	return fmt.Sprintf("the pod's clock is ahead of cnibench's by %s ± %s", c.Offset, c.Bound)
}

// startWatcher starts a watcher and finds out how its clock stands to ours.
func startWatcher(ctx context.Context, b *stage.Bench, pod cluster.Pod, spec probe.WatchSpec) (*watcher, error) {
	s, err := stage.Open(ctx, "watcher in "+pod.Name, stage.ProbeInPod(b.Cluster, pod), "watch", spec)
	if err != nil {
		return nil, err
	}
	w := &watcher{Session: s}
	var ready probe.WatchReady
	if err := s.Read(probe.FrameReady, &ready); err != nil {
		return nil, err
	}
	// Of another machine, or another system: then there is no such file.
	own, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err == nil && strings.TrimSpace(string(own)) == ready.BootID {
		return w, nil
	}
	for range clockTries {
		if err := w.compareClocks(); err != nil {
			s.Close()
			return nil, err
		}
	}
	return w, nil
}

// compareClocks asks for the time once: it was told between question and
// answer.
func (w *watcher) compareClocks() error {
	asked := time.Now()
	if err := w.send(probe.WatchCommand{Clock: true}); err != nil {
		return err
	}
	var told probe.WatchClock
	if err := w.Read(probe.FrameClock, &told); err != nil {
		return err
	}
	half := max(time.Since(asked)/2, 1)
	if w.clock.Bound == 0 || half < w.clock.Bound {
		w.clock = clock{Offset: told.Now.Sub(asked.Add(half)), Bound: half}
	}
	return nil
}

func (w *watcher) send(command probe.WatchCommand) error {
	line, err := json.Marshal(command)
	if err != nil {
		return err
	}
	if err := w.Send(append(line, '\n')); err != nil {
		return w.Explain(err)
	}
	return nil
}

// ask begins to wait for a state; answer returns it.
func (w *watcher) ask(a probe.WatchAwait) error { return w.send(probe.WatchCommand{Await: &a}) }

// askFor begins to wait for a state of a target that the watcher did not know.
func (w *watcher) askFor(target probe.WatchTarget, a probe.WatchAwait) error {
	return w.send(probe.WatchCommand{Targets: []probe.WatchTarget{target}, Await: &a})
}

// answer returns the attempts since the answer before; Settled says whether
// the state was reached.
func (w *watcher) answer() (probe.Watched, error) {
	var watched probe.Watched
	err := w.Read(probe.FrameWatched, &watched)
	return watched, err
}

func (w *watcher) await(a probe.WatchAwait) (probe.Watched, error) {
	if err := w.ask(a); err != nil {
		return probe.Watched{}, err
	}
	return w.answer()
}

// mustSettle waits for a state without which there is nothing to measure.
func (w *watcher) mustSettle(what string, a probe.WatchAwait) (probe.Watched, error) {
	watched, err := w.await(a)
	if err != nil {
		return watched, err
	}
	if !watched.Settled {
		return watched, &unsettledError{what, w.Where, a, watched}
	}
	return watched, nil
}

// unsettledError says that the network did not do in time what it should.
type unsettledError struct {
	what, where string
	await       probe.WatchAwait
	watched     probe.Watched
}

func (e *unsettledError) Error() string {
	return fmt.Sprintf("%s: within %s, %s: %s", e.what, e.await.Limit, e.where, unmet(e.await, e.watched))
}

// unmet says which targets are not as they were to be.
func unmet(a probe.WatchAwait, watched probe.Watched) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(a.Want)) {
		attempts := watched.Attempts[name]
		want := map[bool]string{true: "was to be reached", false: "was to be denied"}[a.Want[name]]
		switch {
		case len(attempts) == 0:
			words = append(words, fmt.Sprintf("%s %s, and no attempt has an outcome", name, want))
		case attempts[len(attempts)-1].OK() != a.Want[name]:
			words = append(words, fmt.Sprintf("%s %s, and the last of %d attempts was: %s", name, want, len(attempts), attempts[len(attempts)-1].Outcome))
		}
	}
	if len(words) == 0 {
		return "the state came and went"
	}
	const most = 3 // of hundreds of ports that may be missing
	if len(words) > most {
		words = append(words[:most], fmt.Sprintf("and %d more", len(words)-most))
	}
	return strings.Join(words, "; ")
}
