package stage

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/birth"
)

// Births watches the pods of the load's namespace start on some nodes.
type Births struct {
	watches map[string]birthWatch // by node
	absent  map[string][]string   // directories of a node that are not watched
	lost    map[string]string     // why nothing is known of a node
	// patience is what a node may take to hand over what it saw: a trial must
	// not wait for a node that hangs.
	patience time.Duration
}

// birthWatch is the watch on one node, and what gives it up.
type birthWatch struct {
	*Session
	cut context.CancelFunc
}

// Born is what was seen of the pods, on their nodes' clocks.
type Born struct {
	ByUID map[string]birth.Birth `json:"byUID"`
	// Lost says by node what was not seen, and why.
	Lost map[string]string `json:"lost,omitempty"`
}

// WatchBirths starts to watch. A node that cannot be watched costs the figures
// that it would have told, not the trial.
func (b *Bench) WatchBirths(ctx context.Context, nodes []string) *Births {
	all := &Births{map[string]birthWatch{}, map[string][]string{}, map[string]string{}, handOver}
	for _, node := range nodes {
		within, cut := context.WithCancel(ctx)
		s, ready, err := openBirths(within, node, b.birthsOn(node))
		if err != nil {
			cut()
			all.lost[node] = err.Error()
			continue
		}
		all.watches[node] = birthWatch{s, cut}
		for _, dir := range []string{birth.LogsDir, birth.NetnsDir, birth.ResultsDir} {
			if why := ready.Absent[dir]; why != "" {
				all.absent[node] = append(all.absent[node], why)
			}
		}
	}
	return all
}

// birthsOn runs the watch where it sees the node's own files.
func (b *Bench) birthsOn(node string) Runner {
	run := ProbeOnNode(b.Cluster, node)
	return func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return run(ctx, append(argv, "--root", b.Cluster.NodeRoot()), stdin, stdout, stderr)
	}
}

func openBirths(ctx context.Context, node string, run Runner) (*Session, birth.Ready, error) {
	var ready birth.Ready
	s, err := Open(ctx, "watch of births on "+node, run, "births", birth.Spec{Namespace: Namespace})
	if err != nil {
		return nil, ready, err
	}
	if err := s.Read(probe.FrameReady, &ready); err != nil {
		s.Close()
		return nil, ready, err
	}
	return s, ready, nil
}

// Cancel ends the watch and throws away what it saw.
func (w *Births) Cancel() {
	for _, s := range w.watches {
		s.Close()
		s.cut()
	}
}

// Stop ends the watch and returns what it saw.
func (w *Births) Stop() Born {
	born := Born{ByUID: map[string]birth.Birth{}, Lost: w.lost}
	for node, s := range w.watches {
		report, err := s.report(w.patience)
		if err != nil {
			born.Lost[node] = err.Error()
			continue
		}
		for _, b := range report.Births {
			born.ByUID[b.UID] = b
		}
		problems := slices.Clone(w.absent[node])
		if report.Lost != "" {
			problems = append(problems, report.Lost)
		}
		if len(problems) > 0 {
			born.Lost[node] = strings.Join(problems, "; ")
		}
	}
	return born
}

// report ends the watch and reads what it saw, unless that takes too long.
func (w birthWatch) report(patience time.Duration) (birth.Report, error) {
	var report birth.Report
	var hangs atomic.Bool
	giveUp := time.AfterFunc(patience, func() {
		hangs.Store(true)
		w.cut()
	})
	defer w.cut()
	defer giveUp.Stop()
	w.Close()
	err := w.Read(probe.FrameBirths, &report)
	if err != nil && hangs.Load() {
		err = fmt.Errorf("%w: it did not hand over what it saw within %s", err, patience)
	}
	return report, err
}

// Unseen says why something of a pod on a node was not seen.
func (b Born) Unseen(pod, node string) string {
	why := b.Lost[node]
	if why == "" {
		why = "it left no trace that is known"
	}
	return fmt.Sprintf("%s on %s: %s", pod, node, why)
}
