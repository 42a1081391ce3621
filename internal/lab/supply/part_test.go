package supply

import (
	"archive/tar"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// TestPartsComeOnDemand: a part adds steps of its own and changes none of the
// base's or another part's, and what is no part adds nothing.
func TestPartsComeOnDemand(t *testing.T) {
	base := mustPlan(t, t.TempDir(), standIns())
	if diff := cmp.Diff(base.items, mustPlan(t, t.TempDir(), standIns(), "flannel").items, cmp.AllowUnexported(item{})); diff != "" {
		t.Errorf("a plugin of the base changes it:\n%s", diff)
	}
	for name, want := range map[string][]string{
		"cilium": {"debian-cilium", "cilium", "images-cilium"}, DNS: {"coredns", "images-dns"}, K6: {"k6", "images-k6"},
		OpenVPN: {"debian-openvpn", "images-openvpn"}, Konnectivity: {"konnectivity", "images-konnectivity"},
		FlannelUpgrade: {"debian-flannel-upgrade", "flannel-upgrade", "flannel-cni-upgrade", "images-flannel-upgrade"},
	} {
		with := mustPlan(t, t.TempDir(), standIns(), "flannel", name)
		all := mustPlan(t, t.TempDir(), standIns(), Parts()...)
		var added []string
		for _, s := range with.steps {
			if old, ok := base.items[s.name]; !ok {
				added = append(added, s.name)
			} else if with.item(s.name) != old {
				t.Errorf("with %s, %s has another key", name, s.name)
			}
			if with.item(s.name) != all.item(s.name) {
				t.Errorf("with all parts, %s has another key than with %s alone", s.name, name)
			}
		}
		if diff := cmp.Diff(want, added); diff != "" {
			t.Errorf("steps that %s adds:\n%s", name, diff)
		}
	}
}

// TestToolsBuildNoLab: who wants the image of load pods builds nothing else.
func TestToolsBuildNoLab(t *testing.T) {
	for name, want := range map[string][]string{
		"": {stepPrograms, stepDebian, stepTools}, K6: {stepPrograms, stepDebian, "k6", stepTools}, DNS: {stepPrograms, stepDebian, stepTools},
	} {
		p := mustPlan(t, t.TempDir(), standIns(), name)
		if err := p.keepTools(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range p.steps {
			got = append(got, s.name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with part %q:\n%s", name, diff)
		}
	}
}

// TestPartReplacesAnImage: a kit has one image of a name, the part's.
func TestPartReplacesAnImage(t *testing.T) {
	p := mustPlan(t, t.TempDir(), standIns(), K6)
	kit, err := p.assemble(map[string]manifest{
		stepImages:  {Images: []Image{{Name: pauseImage, Digest: "1"}, {Name: toolsImage, Digest: "2"}}},
		"images-k6": {Images: []Image{{Name: toolsImage, Digest: "3"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, image := range kit.Images {
		got = append(got, image.Name+" "+image.Digest)
	}
	if diff := cmp.Diff([]string{pauseImage + " 1", toolsImage + " 3"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryPartTellsItsDuration(t *testing.T) {
	for _, name := range Parts() {
		if !strings.Contains(Duration(name), "minutes") {
			t.Errorf("%s takes %q", name, Duration(name))
		}
	}
	if got := Duration("flannel"); got != "" {
		t.Errorf("flannel takes %q besides the base", got)
	}
}

func TestFailedPartKeepsFinishedSteps(t *testing.T) {
	p := mustPlan(t, t.TempDir(), standIns(), "cilium")
	fakeSteps(p, func(name string) error {
		if name == "cilium" {
			return errors.New("no network")
		}
		return nil
	})
	var err error
	for i := 0; i < len(p.steps) && err == nil; i++ {
		err = p.run(t.Context(), p.steps[i], nil)
	}
	if err == nil {
		t.Fatal("the build did not fail")
	}
	missing, err := p.find()
	var names []string
	for _, s := range missing {
		names = append(names, s.name)
	}
	if diff := cmp.Diff([]string{"cilium", "images-cilium"}, names); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestKitLacks(t *testing.T) {
	kit := Kit{Images: []Image{{Name: "quay.io/cilium/cilium:v1.15.19"}, {Name: "docker.io/cnibench/tools:lab"}}}
	digest := "quay.io/cilium/cilium:v1.15.19@sha256:" + strings.Repeat("ab", 32)
	got, err := kit.Lacks([]string{
		"quay.io/cilium/cilium:v1.15.19", "cnibench/tools:lab", "quay.io/cilium/hubble-relay:v1.15.19", digest,
	})
	if diff := cmp.Diff([]string{"quay.io/cilium/hubble-relay:v1.15.19", digest}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := kit.Lacks([]string{"No Image"}); err == nil {
		t.Error("a reference that is none was accepted")
	}
}

// TestMergePackages: one version in several images is one package, two
// versions are two.
func TestMergePackages(t *testing.T) {
	got := mergePackages([]Package{
		{Name: "libc6", Version: "1", In: []string{"node"}}, {Name: "dash", Version: "1", In: []string{"node"}},
		{Name: "libc6", Version: "1", In: []string{"agent"}}, {Name: "dash", Version: "2", In: []string{"agent"}},
	})
	want := []Package{
		{Name: "dash", Version: "1", In: []string{"node"}}, {Name: "dash", Version: "2", In: []string{"agent"}},
		{Name: "libc6", Version: "1", In: []string{"node", "agent"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestImageFiles(t *testing.T) {
	result := t.TempDir()
	for _, name := range []string{"bpf/lib/lb.h", "bpf/tests/lb.c", "bin/mount"} {
		file := filepath.Join(result, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	out := tree.New()
	for _, f := range []imageFile{
		{Path: "var/lib/bpf", Mode: 0o644, From: "bpf", Skip: []string{"tests"}},
		{Path: "usr/bin/mounter", Mode: 0o755, From: "bin/mount"},
		{Path: "usr/bin/entry", Mode: 0o755, Text: "#!/bin/sh\n"},
	} {
		if err := f.add(out, result); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, e := range out.Entries() {
		if e.Type == tar.TypeReg {
			got = append(got, e.Path)
		}
	}
	want := []string{"usr/bin/entry", "usr/bin/mounter", "var/lib/bpf/lib/lb.h"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e, _ := out.Get("usr/bin/mounter"); e.Mode != 0o755 || e.Size != int64(len("bin/mount")) {
		t.Errorf("the program has mode %o and %d bytes", e.Mode, e.Size)
	}
}

// TestScriptsNameWhatTheImageHas: the wrappers run programs that packages or
// the build put there.
func TestScriptsNameWhatTheImageHas(t *testing.T) {
	image := ciliumImages()[0]
	paths := []string{"/" + image.Program, "/usr/lib/llvm-19/bin/clang", "/usr/sbin/bpftool"} // of clang-19 and bpftool
	for name, script := range map[string]string{"agent": agentEntry, "compiler": compilerEntry, "bpftool": featureEntry} {
		lines := strings.Split(strings.TrimSpace(script), "\n")
		fields := strings.Fields(lines[len(lines)-1])
		if len(fields) < 2 || fields[0] != "exec" || !slices.Contains(paths, fields[1]) {
			t.Errorf("%s ends in %q", name, fields)
		}
	}
}

// TestFlannelUpgradeIsWhatItsNameSays: what a campaign asks for by its version
// is what the module builds.
func TestFlannelUpgradeIsWhatItsNameSays(t *testing.T) {
	pin, err := flannelUpgradePart().program.Pin()
	if err != nil || pin.Version != FlannelUpgradeVersion {
		t.Errorf("the part has %s, not %s: %v", pin.Version, FlannelUpgradeVersion, err)
	}
}
