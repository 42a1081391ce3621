package stage

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/birth"
)

// Births watches the pods of the load's namespace start on some nodes.
type Births struct {
	sessions map[string]*Session // by node
	absent   map[string][]string // directories of a node that are not watched
	lost     map[string]string   // why nothing is known of a node
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
	all := &Births{map[string]*Session{}, map[string][]string{}, map[string]string{}}
	for _, node := range nodes {
		s, ready, err := openBirths(ctx, node, b.birthsOn(node))
		if err != nil {
			all.lost[node] = err.Error()
			continue
		}
		all.sessions[node] = s
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
	for _, s := range w.sessions {
		s.Close()
	}
}

// Stop ends the watch and returns what it saw.
func (w *Births) Stop() Born {
	born := Born{ByUID: map[string]birth.Birth{}, Lost: w.lost}
	for node, s := range w.sessions {
		s.Close()
		var report birth.Report
		if err := s.Read(probe.FrameBirths, &report); err != nil {
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

// Unseen says why something of a pod on a node was not seen.
func (b Born) Unseen(pod, node string) string {
	why := b.Lost[node]
	if why == "" {
		why = "it left no trace that is known"
	}
	return fmt.Sprintf("%s on %s: %s", pod, node, why)
}
