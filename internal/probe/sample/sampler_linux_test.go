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
		1: {CPU: 5, User: 3, System: 1.9, WorkingSet: 2 * (10485760 - 1048576), Anon: ref[uint64](8), File: ref[uint64](13)},
		// b has less than its inactive file, and does not know of memory in sockets
		2: {CPU: 5, User: 3, System: 1.9, WorkingSet: 10485760 - 1048576, Anon: ref[uint64](10), File: ref[uint64](18)},
	}
	for version, root := range map[int]string{1: "testdata/cgroupv1", 2: "testdata/cgroupv2"} {
		s, err := New(Spec{Interval: time.Second, Groups: groups, CgroupRoot: root, Procfs: "testdata/proc", Sysfs: "testdata/sys"})
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
			checkFixture(t, got)
		}
	}
}

// checkFixture checks what does not depend on the version of control groups.
func checkFixture(t *testing.T, got Sample) {
	t.Helper()
	if got.CPU.SoftIRQ != 1.89 || len(got.Interfaces) != 3 || got.Tasks.Forks != 12345 || got.SoftIRQs["NET_RX"] != 21310 {
		t.Errorf("sample = %+v", got)
	}
	if len(got.Pressure) != 3 || got.Sockets.TCP6 == nil || len(got.Protocols.TCPExt) == 0 || len(got.Protocols.UDP6) == 0 {
		t.Errorf("sample = %+v", got)
	}
	if want := (Softnet{Processed: 0x13 + 0xfffffff0, Dropped: 2, Squeezed: 11}); *got.Softnet != want {
		t.Errorf("softnet = %+v, want %+v", *got.Softnet, want)
	}
	if len(got.Disks) != 2 || got.Disks["vda"].Reads == 0 { // without vda1 and loop0
		t.Errorf("disks = %+v", got.Disks)
	}
	if got.Conntrack.Entries != 17 || *got.Conntrack.Limit != 262144 || got.Conntrack.Events["drop"] != 26 {
		t.Errorf("conntrack = %+v", got.Conntrack)
	}
	if want := (Frequency{Mean: 2.25e9, Min: 2e9, Max: 2.5e9}); *got.Frequency != want {
		t.Errorf("frequency = %+v, want %+v", *got.Frequency, want)
	}
	if want := (Throttles{Core: 3 + 4, Package: 9}); *got.Throttles != want { // threads share their core's counter
		t.Errorf("throttles = %+v, want %+v", *got.Throttles, want)
	}
	if diff := cmp.Diff(map[string]float64{"package-0": 262143}, got.Energy); diff != "" {
		t.Errorf("energy (-want +got):\n%s", diff)
	}
}

// What a kernel does not have is absent, with the reason, once; CPU times must
// be there.
func TestSampleSparseProcfs(t *testing.T) {
	procfs := t.TempDir()
	stat := "cpu 1 2 3 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8\nctxt 9\n"
	for name, text := range map[string]string{"stat": stat, "meminfo": "MemTotal: 1 kB\n"} {
		if err := os.WriteFile(filepath.Join(procfs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(Spec{Interval: time.Second, Procfs: procfs, Sysfs: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Sample()
	if err != nil {
		t.Fatal(err)
	}
	got.Hardware = nil // this machine may have it
	want := Sample{
		At: got.At, Mono: got.Mono, Own: got.Own, ContextSwitches: 9, CPU: got.CPU, Cores: []Core{{0, got.CPU}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sample (-want +got):\n%s", diff)
	}
	reasons := map[string]string{}
	for _, f := range s.Faults() {
		reasons[f.Figure] = f.Detail
	}
	for _, figure := range []string{"tasks", "softirqs", "memoryBytes", "pressure/io", "disks", "interfaces", "softnet", "protocols/tcp",
		"protocols/tcpExt", "protocols/udp6", "sockets", "conntrack", "frequency", "throttles", "powerWatts"} {
		if reasons[figure] == "" {
			t.Errorf("there is no reason why %s is not there: %v", figure, reasons)
		}
	}
	if _, err := s.Sample(); err != nil || len(s.Faults()) != 0 {
		t.Errorf("the same reasons again, or %v", err)
	}
	empty, err := New(Spec{Interval: time.Second, Procfs: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := empty.Sample(); err == nil {
		t.Errorf("without /proc/stat: %+v", got)
	}
}

// Only what was asked for is read.
func TestSampleOnly(t *testing.T) {
	s, err := New(Spec{Interval: time.Second, Procfs: "testdata/proc", Sysfs: "testdata/sys", Only: []string{SourceMemory, SourceDisks}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Sample()
	if err != nil || got.Memory == nil || got.Disks == nil || got.Softnet != nil || got.Protocols != nil || got.Energy != nil || got.Interfaces != nil {
		t.Errorf("sample = %+v, %v", got, err)
	}
}

func TestCgroupComesAndGoes(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/cgroupv2")); err != nil {
		t.Fatal(err)
	}
	s, err := New(Spec{
		Interval: time.Second, Groups: map[string][]string{"late": {"late"}}, CgroupRoot: root, Procfs: "testdata/proc", Sysfs: "testdata/sys",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	take := func(wantMissing int, wantRestarts uint64, want ...string) {
		t.Helper()
		sample, err := s.Sample()
		if err != nil {
			t.Fatal(err)
		}
		if g := sample.Groups["late"]; len(g.Missing) != wantMissing || g.Restarts != wantRestarts {
			t.Errorf("group = %+v, want %d missing and %d restarts", g, wantMissing, wantRestarts)
		}
		var got []string
		for _, f := range s.Faults() {
			if f.Kind == FaultCgroup {
				got = append(got, f.Figure+": "+f.Detail)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
	}
	file := filepath.Join(root, "late", "cpu.stat")
	take(1, 0)
	if err := os.CopyFS(filepath.Join(root, "late"), os.DirFS(filepath.Join(root, "pods/a"))); err != nil {
		t.Fatal(err)
	}
	take(0, 0, "groups/late: late came")
	take(0, 0)
	// Its counters begin anew, as those of another cgroup of the name do.
	if err := os.WriteFile(file, []byte("usage_usec 5\nuser_usec 3\nsystem_usec 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	take(0, 1, "groups/late: late was replaced by another of its name")
	take(0, 1)
	if err := os.WriteFile(file, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	take(1, 1)
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
