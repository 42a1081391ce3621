package sample

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSampleFixture(t *testing.T) {
	groups := map[string][]string{"pods": {"pods/a", "pods/b", "pods/later"}, "none": {"gone"}}
	wantPods := map[int]Usage{
		1: {CPU: 5, User: 3, System: 1.9, WorkingSet: 2 * (10485760 - 1048576)},
		2: {CPU: 5, User: 3, System: 1.9, WorkingSet: 10485760 - 1048576}, // b has less than its inactive file
	}
	for version, root := range map[int]string{1: "testdata/cgroupv1", 2: "testdata/cgroupv2"} {
		s, err := New(Spec{Interval: time.Second, Groups: groups, CgroupRoot: root, Procfs: "testdata/proc"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if s.version != version {
			t.Errorf("%s is taken for version %d", root, s.version)
		}
		for range 2 { // the files stay open
			got, err := s.Sample()
			if err != nil {
				t.Fatal(err)
			}
			pods := wantPods[version]
			want := map[string]GroupSample{
				"pods": {Usage: &pods, Missing: []string{"pods/later"}},
				"none": {Missing: []string{"gone"}},
			}
			if diff := cmp.Diff(want, got.Groups); diff != "" {
				t.Errorf("%s: groups (-want +got):\n%s", root, diff)
			}
			if got.CPU.SoftIRQ != 1.89 || got.Softnet.Processed != 3 || got.Pressure.Some == 0 || len(got.Interfaces) != 3 {
				t.Errorf("%s: sample = %+v", root, got)
			}
		}
	}
}

// What a kernel does not have is absent; what every kernel has must be there.
func TestSampleSparseProcfs(t *testing.T) {
	procfs := t.TempDir()
	for _, name := range []string{"stat", "meminfo"} {
		if err := os.WriteFile(filepath.Join(procfs, name), procFixture(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(Spec{Interval: time.Second, Procfs: procfs})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Sample()
	if err != nil || got.Softnet != nil || got.Pressure != nil || got.Interfaces != nil || got.Protocols != nil {
		t.Errorf("Sample() = %+v, %v", got, err)
	}
	empty, err := New(Spec{Interval: time.Second, Procfs: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := empty.Sample(); err == nil {
		t.Errorf("without /proc/stat: %+v", got)
	}
}

func TestCgroupComesAndGoes(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/cgroupv2")); err != nil {
		t.Fatal(err)
	}
	s, err := New(Spec{
		Interval: time.Second, Groups: map[string][]string{"late": {"late"}}, CgroupRoot: root, Procfs: "testdata/proc",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	missing := func() int {
		t.Helper()
		sample, err := s.Sample()
		if err != nil {
			t.Fatal(err)
		}
		return len(sample.Groups["late"].Missing)
	}
	if missing() != 1 {
		t.Error("it is there before it is")
	}
	if err := os.CopyFS(filepath.Join(root, "late"), os.DirFS(filepath.Join(root, "pods/a"))); err != nil {
		t.Fatal(err)
	}
	if missing() != 0 {
		t.Error("it is not found when it comes")
	}
}

// BenchmarkSample is the cost of one sample of this machine, with ten cgroups.
func BenchmarkSample(b *testing.B) {
	spec := Spec{Interval: time.Second, Groups: map[string][]string{}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		spec.Groups[name] = []string{"."} // every machine has the root
	}
	s, err := New(spec)
	if err != nil {
		b.Skipf("no cgroups here: %v", err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Sample(); err != nil {
			b.Fatal(err)
		}
	}
}
