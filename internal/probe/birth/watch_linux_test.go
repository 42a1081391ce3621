package birth

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// What is made in a node's directories is seen in its order; a directory that
// is not there is named.
func TestWatch(t *testing.T) {
	root := t.TempDir()
	mkdir := func(dir ...string) {
		if err := os.MkdirAll(filepath.Join(append([]string{root}, dir...)...), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string, file ...string) {
		if err := os.WriteFile(filepath.Join(append([]string{root}, file...)...), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mkdir(LogsDir)
	mkdir(NetnsDir)
	mkdir(ResultsDir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready, ended := one[Ready](), one[Report]()
	go func() {
		report, err := Watch(ctx, root, Spec{Namespace: "cnibench"}, func(r Ready) error { ready <- r; return nil })
		if err != nil {
			t.Error(err)
		}
		ended <- report
	}()
	if r := <-ready; len(r.Absent) > 0 {
		t.Fatalf("absent: %v", r.Absent)
	}
	mkdir(LogsDir, "cnibench_one_u1")
	write("", NetnsDir, "cni-1")
	write(result("cnibench", "u1", "eth0", "", "/run/netns/cni-1"), ResultsDir, "cbr0-5f-eth0")
	mkdir(LogsDir, "cnibench_one_u1", "load")
	cancel() // what the kernel has told by now is read
	report := <-ended
	if len(report.Births) != 1 || report.Lost != "" {
		t.Fatalf("%+v", report)
	}
	b := report.Births[0]
	_, added := b.ADD()
	_, made := b.Sandbox()
	if b.Pod != "one" || !added || !made {
		t.Errorf("%+v: ADD was seen: %t, the sandbox: %t", b, added, made)
	}
}

func one[T any]() chan T { return make(chan T, 1) }

func TestWatchAbsent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Watch(ctx, t.TempDir(), Spec{Namespace: "cnibench"}, func(r Ready) error {
		if len(r.Absent) != 3 {
			t.Errorf("absent: %v, want all three", r.Absent)
		}
		cancel()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func FuzzParseEvents(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x01\x00\x40\x00\x00\x00\x00\x04\x00\x00\x00pod\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		read := 0
		for _, e := range parseEvents(b) {
			read += 16 + len(e.name)
		}
		if read > len(b) {
			t.Errorf("%d bytes were read of %d", read, len(b))
		}
	})
}
