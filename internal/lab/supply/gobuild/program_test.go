package gobuild

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func programs() []Program {
	return []Program{Kubernetes(), Flanneld(), FlannelCNI(), Cilium(), CoreDNS(), K6(), Konnectivity(), FlannelUpgrade(), FlannelCNIUpgrade()}
}

// TestProgramsArePinned: every recipe's module is embedded, complete and
// pinned.
func TestProgramsArePinned(t *testing.T) {
	for _, p := range programs() {
		pin, err := p.Pin()
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(pin.Version, "v") {
			t.Errorf("%s has version %q", p.Name, pin.Version)
		}
		files, err := p.Files()
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(files["go.sum"]), p.Release+" "+pin.Version+" h1:") {
			t.Errorf("go.sum of %s has no checksum of %s %s", p.Name, p.Release, pin.Version)
		}
		if _, have := files["main.go"]; p.Package == "." && have == (p.Upstream != nil) {
			t.Errorf("%s has a main.go: %v, takes one from upstream: %v", p.Name, have, p.Upstream != nil)
		}
	}
}

func TestFlagsStampTheVersion(t *testing.T) {
	got := Kubernetes().flags("v1.34.4")
	want := []string{
		"-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -buildid= -X k8s.io/component-base/version.gitVersion=v1.34.4 -X k8s.io/component-base/version.gitMajor=1" +
			" -X k8s.io/component-base/version.gitMinor=34 -X k8s.io/component-base/version.gitTreeState=clean" +
			" -X k8s.io/client-go/pkg/version.gitVersion=v1.34.4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFlagsWithTags: values with blanks reach the linker whole.
func TestFlagsWithTags(t *testing.T) {
	got := Cilium().flags("v1.15.19")
	want := []string{
		"-mod=readonly", "-trimpath", "-buildvcs=false", "-tags", "ipam_provider_operator,osusergo", "-ldflags",
		"-s -w -buildid= -X 'github.com/cilium/cilium/pkg/version.ciliumVersion=1.15.19 module undated'",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestProgramsHaveNamesOfTheirOwn: go names programs that are built together by
// the last element of their import paths.
func TestProgramsHaveNamesOfTheirOwn(t *testing.T) {
	for _, p := range programs() {
		names, outputs := map[string]bool{}, map[string]bool{}
		for _, target := range p.targets() {
			name := path.Base(target.Package)
			if names[name] || outputs[target.Output] {
				t.Errorf("%s builds %s to %s, and something else is called that too", p.Name, target.Package, target.Output)
			}
			names[name], outputs[target.Output] = true, true
		}
	}
}

func TestToolchainCheck(t *testing.T) {
	tests := []struct {
		name string
		tool Toolchain
		ok   bool
	}{
		{"newer", Toolchain{Version: "go1.99.1"}, true},
		{"older", Toolchain{Version: "go1.20"}, false},
		{"older, may fetch a newer one", Toolchain{Version: "go1.21.0", selectable: true}, true},
		{"distribution's suffix", Toolchain{Version: "go1.99.1-X:nodwarf5"}, true},
		{"experiment", Toolchain{Version: "go1.99.1 X:rangefunc"}, true},
	}
	for _, test := range tests {
		err := test.tool.Check(Flanneld())
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
		hinted, _ := err.(interface{ Hint() string })
		if err != nil && (hinted == nil || !strings.Contains(hinted.Hint(), "GOTOOLCHAIN")) {
			t.Errorf("%s: no hint in %v", test.name, err)
		}
	}
}

// TestEnvironment: settings that change the result are ours, how modules are
// fetched and checked stays the user's.
func TestEnvironment(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=vendor -tags=evil")
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOPROXY", "https://proxy.example")
	t.Setenv("GOSUMDB", "sum.example")
	env := environment("/tmp/x")
	for _, want := range []string{
		"GOFLAGS=-mod=readonly", "CGO_ENABLED=0", "GOOS=linux", "GOWORK=off", "GOTMPDIR=/tmp/x",
		"GOPROXY=https://proxy.example", "GOSUMDB=sum.example",
	} {
		name, _, _ := strings.Cut(want, "=")
		all := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return !strings.HasPrefix(kv, name+"=") })
		if diff := cmp.Diff([]string{want}, all); diff != "" {
			t.Error(diff)
		}
	}
}
