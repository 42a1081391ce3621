package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is read twice is the same twice, on whatever machine the test runs.
func TestReadIsStable(t *testing.T) {
	spec := Spec{Address: "127.0.0.1", As: "here"}
	first, second := Read(spec), Read(spec)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
	consistent(t, first.Kernel)
	consistent(t, first.Node)
	for _, name := range []string{"kernel.release", "kernel.version", "cpu.online", "memory.total"} {
		if first.Kernel.Values[name] == "" {
			t.Errorf("there is no %s: %s", name, first.Kernel.Missing[name])
		}
	}
	for name, want := range map[string]string{"here.name": "lo", "here.mtu": "65536", "here.kind": "device", "here.offload.loopback": "on [fixed]"} {
		if got := first.Node.Values[name]; got != want {
			t.Errorf("%s is %q, want %q (%s)", name, got, want, first.Node.Missing[name])
		}
	}
	if c := first.Kernel; c.Values["kernel.config.sha256"] == "" && c.Missing["kernel.config"] == "" {
		t.Error("there is neither a configuration nor a reason")
	}
}

func TestReadInPod(t *testing.T) {
	r := Read(Spec{Address: "192.0.2.1", As: "pod", SkipKernel: true})
	if len(r.Kernel.Values) > 0 || r.Node.Missing["pod"] == "" {
		t.Errorf("kernel %v, missing %v", r.Kernel.Values, r.Node.Missing)
	}
}

func TestLongName(t *testing.T) {
	ask, done, err := openCard()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	f := New()
	ask.describe(f, "x", "a-name-longer-than-any-link-has", true)
	if len(f.Values) > 0 || f.Missing["x.driver"] == "" || f.Missing["x.offload"] == "" {
		t.Errorf("%+v", f)
	}
}
