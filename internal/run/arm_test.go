package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// fakeMachines notes what is done to a cluster that is not there, and panics
// on everything else.
type fakeMachines struct {
	cluster.Machines
	done *[]string
	// stays is why it does not go; nil: it does.
	stays error
}

func (f fakeMachines) Pause() error  { *f.done = append(*f.done, "pause"); return nil }
func (f fakeMachines) Remove() error { *f.done = append(*f.done, "remove"); return f.stays }

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

// A lab that a trial left other than it was installed is never kept, and one
// that does not go is tried again at the end.
func TestRestOfAnAlteredLab(t *testing.T) {
	stays := errors.New("it does not go")
	for _, tt := range []struct {
		name               string
		keep, fresh, ended bool // ended by a turn, or by an interrupt
		stays              error
		want               []string
	}{
		{"a turn's end", false, false, true, nil, []string{"remove"}},
		{"a turn's end, kept", true, true, true, nil, []string{"remove"}},
		{"an interrupt", false, true, false, nil, []string{"remove"}},
		{"an interrupt, kept", true, false, false, nil, []string{"remove"}},
		{"it does not go", false, true, true, stays, []string{"remove", "remove"}},
		{"it does not go, kept", true, true, true, stays, []string{"remove", "remove"}},
	} {
		var done []string
		var told int
		a := &arm{Installed: &Installed{Cluster: &cluster.Cluster{Machines: fakeMachines{done: &done, stays: tt.stays}}}, altered: true}
		r := &Runner{
			Plan: plan.Plan{FreshCluster: tt.fresh}, Keep: tt.keep, Provider: &fakeProvider{},
			Events: func(Event) { told++ }, arms: map[string]*arm{"a": a},
		}
		if tt.ended {
			if err := r.rest(t.Context(), "a"); !errors.Is(err, tt.stays) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		remove := r.removeAll
		if tt.keep {
			remove = r.removeAltered
		}
		if err := remove(t.Context()); !errors.Is(err, tt.stays) {
			t.Errorf("%s: at the end: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, done); diff != "" || (told > 0) != tt.keep {
			t.Errorf("%s: told %d times; done to the lab (-want +got):\n%s", tt.name, told, diff)
		}
	}
}

// In the middle of a turn an altered lab has to go before another one takes its
// place.
func TestReadyWithoutAnAlteredLab(t *testing.T) {
	for _, stays := range []error{nil, errors.New("it does not go")} {
		var done []string
		var events []Event
		provider := &fakeProvider{fail: func(string) error { return errors.New("no space left") }}
		r := newRunner(t, provider, &events)
		old := &arm{Installed: &Installed{Cluster: &cluster.Cluster{Machines: fakeMachines{done: &done, stays: stays}}}, altered: true}
		r.arms, r.created = map[string]*arm{"a": old}, map[string]int{}
		_, err := r.ready(t.Context(), r.Plan.Variants[0], 1)
		_, there := r.arms["a"]
		if err == nil || there != (stays != nil) || (len(provider.asked) == 0) != there || len(done) != 1 {
			t.Errorf("it stays: %v; still known: %t, asked for %v, done %v: %v", stays, there, provider.asked, done, err)
		}
	}
}

// After an interrupt no trial tells of a variant that was not put back.
func TestTellAltered(t *testing.T) {
	altered := &stage.AlteredError{Err: errors.New("putting it back: no")}
	for _, tt := range []struct {
		arm  *arm
		err  error
		want string
	}{
		{nil, errors.New("no cluster"), ""},
		{&arm{}, errors.New("interrupted"), ""},
		{&arm{altered: true}, errors.Join(errors.New("interrupted"), altered), "putting it back: no"},
		{&arm{altered: true}, &diedError{"kubelet", altered}, "kubelet ended or was restarted during the trial: putting it back: no"},
	} {
		told := ""
		r := &Runner{Events: func(e Event) { told = e.Step }}
		r.tellAltered(tt.arm, "a", tt.err)
		if told != tt.want {
			t.Errorf("%v: told %q, want %q", tt.err, told, tt.want)
		}
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
