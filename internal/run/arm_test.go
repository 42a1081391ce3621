package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/plan"
)

// fakeMachines notes what is done to a cluster that is not there, and panics
// on everything else.
type fakeMachines struct {
	cluster.Machines
	done *[]string
}

func (f fakeMachines) Pause() error  { *f.done = append(*f.done, "pause"); return nil }
func (f fakeMachines) Remove() error { *f.done = append(*f.done, "remove"); return nil }

// After its turn a cluster must not disturb the next one's; at the end it is
// gone, unless it is to be kept.
func TestRest(t *testing.T) {
	for _, tt := range []struct {
		name        string
		fresh, keep bool
		want        []string
	}{
		{"one cluster for all blocks", false, false, []string{"pause", "remove"}},
		{"a fresh one for each block", true, false, []string{"remove"}},
		{"kept", false, true, []string{"pause"}},
		{"fresh and kept", true, true, []string{"pause"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var done []string
			c := &cluster.Cluster{Machines: fakeMachines{done: &done}}
			r := &Runner{Plan: plan.Plan{FreshCluster: tt.fresh}, Keep: tt.keep, Provider: &fakeProvider{}, Events: func(Event) {}, arms: map[string]*arm{"a": {Installed: &Installed{Cluster: c}}}}
			if err := r.rest(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			if a, stays := r.arms["a"]; stays == tt.fresh || stays && !a.paused {
				t.Errorf("the cluster serves the next block: %t (%+v)", stays, a)
			}
			if err := r.rest(t.Context(), "never came up"); err != nil {
				t.Error(err)
			}
			if !r.Keep {
				if err := r.removeAll(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(tt.want, done); diff != "" {
				t.Errorf("done to the cluster (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDescribeMachine(t *testing.T) {
	m := DescribeMachine()
	if m.Cores < 1 || m.Kernel == "" || m.MemoryBytes == 0 || m.CPU == "" || m.OS == "" {
		t.Errorf("the machine is %+v", m)
	}
	for name, value := range m.Sysctls {
		if value == "" || strings.ContainsAny(value, "\t\n") {
			t.Errorf("%s is %q", name, value)
		}
	}
}

func TestField(t *testing.T) {
	if got := field("testdata/cpuinfo", "model name", ":"); got != "Example CPU @ 2.0 GHz: fast" {
		t.Errorf("the first model is %q", got)
	}
	if got := field("testdata/cpuinfo", "model", ":"); got != "unknown" {
		t.Errorf("a field without a value of its own is %q", got)
	}
	if got := field("testdata/none", "model name", ":"); !strings.HasPrefix(got, "unknown: ") {
		t.Errorf("a file that is not there gives %q", got)
	}
}
