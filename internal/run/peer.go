package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/stage"
)

// createPeer makes the second cluster of a variant, which is like the first;
// nil where the run has none.
func (r *Runner) createPeer(ctx context.Context, in Installation, first *Installed) (*Installed, error) {
	if r.Peer == nil {
		return nil, nil
	}
	report := in.Report
	in.Report = func(step string) { report("second cluster: " + step) }
	in.Provider, in.PeerOf = r.Peer, in.Name
	in.Name = r.peerName(in.Name)
	in.Thorough = false // the first has been proven so
	in.Evidence = beside(in.Evidence)
	peer, err := in.Create(ctx)
	if err != nil {
		r.free(in.Name, err)
		return nil, err
	}
	first.Facts["second cluster"] = peer.Cluster.Site().PodCIDR + " pods, " + peer.Cluster.Site().ServiceCIDR + " Services"
	return peer, nil
}

// peerName names the cluster that is beside another.
func (r *Runner) peerName(first string) string {
	return r.unused(func(number string) string {
		suffix := "-peer" + number
		return shortened(first, maxClusterName-len(suffix)) + suffix
	})
}

// beside is the directory for evidence from the second cluster.
func beside(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "peer")
}

// both are the clusters of an arm.
func (a *arm) both() []*Installed {
	if a.peer == nil {
		return []*Installed{a.Installed}
	}
	return []*Installed{a.Installed, a.peer}
}

// pause stops both clusters.
func (a *arm) pause() error {
	var errs []error
	for _, i := range a.both() {
		errs = append(errs, i.Cluster.Pause())
	}
	return errors.Join(errs...)
}

// end ends the variant's time in both clusters, see Installed.End.
func (a *arm) end(ctx context.Context, report func(step string)) error {
	var errs []error
	for _, i := range a.both() {
		errs = append(errs, i.End(ctx, report))
	}
	return errors.Join(errs...)
}

// incarnations are the marks of the programs of both clusters.
func (a *arm) incarnations() (map[string]string, error) {
	marks, err := a.Cluster.Incarnations()
	if err != nil || a.peer == nil {
		return marks, err
	}
	more, err := a.peer.Cluster.Incarnations()
	for name, mark := range more {
		marks["second cluster: "+name] = mark
	}
	return marks, err
}

// gone names the load pods that run no more, in both clusters.
func (a *arm) gone(ctx context.Context) []string {
	names := a.Stage.Gone(ctx)
	if a.peer == nil {
		return names
	}
	for _, name := range a.peer.Stage.Gone(ctx) {
		names = append(names, name+" of the second cluster")
	}
	return names
}

// collect keeps what explains a failure, of both clusters.
func (a *arm) collect(ctx context.Context, dir string) error {
	err := a.Cluster.Collect(ctx, dir)
	if a.peer == nil {
		return err
	}
	second := beside(dir)
	return errors.Join(err, os.MkdirAll(second, 0o755), a.peer.Cluster.Collect(ctx, second))
}

// peerBench is the second cluster as trials see it; nil where there is none.
func (a *arm) peerBench(dir string) *stage.Bench {
	if a.peer == nil {
		return nil
	}
	return &stage.Bench{Cluster: a.peer.Cluster, Entry: a.peer.Entry, Stage: a.peer.Stage, Raw: dir}
}
