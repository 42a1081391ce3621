package tables

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// newMap makes a map of the machine's kernel, which goes with the test.
func newMap(t *testing.T, kind ebpf.MapType, key, value, limit uint32) *ebpf.Map {
	t.Helper()
	m, err := ebpf.NewMap(&ebpf.MapSpec{Type: kind, KeySize: key, ValueSize: value, MaxEntries: limit})
	if errors.Is(err, unix.EPERM) {
		t.Skip("no permission to make BPF maps")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func TestMapIsCounted(t *testing.T) {
	const entries = 2*batch + 100 // more than fit into a batch
	m := newMap(t, ebpf.Hash, 14, 56, 1<<14)
	if got, err := tableOf(m); err != nil || got != (Table{Limit: 1 << 14}) {
		t.Errorf("an empty map is %+v, %v", got, err)
	}
	for i := range entries {
		key, value := [14]byte{byte(i), byte(i >> 8)}, [56]byte{}
		if err := m.Put(key, value); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := tableOf(m); err != nil || got != (Table{Entries: entries, Limit: 1 << 14}) {
		t.Errorf("%+v, %v: want %d entries", got, err, entries)
	}
}

// A map that throws out the oldest never has more than fit, however many came.
func TestMapThatEvicts(t *testing.T) {
	m := newMap(t, ebpf.LRUHash, 4, 8, 1024)
	for i := range uint32(5000) {
		if err := m.Put(i, uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := tableOf(m)
	if err != nil || !got.Evicts || got.Entries == 0 || got.Entries > got.Limit || got.Limit != 1024 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMapWithoutFill(t *testing.T) {
	if got, err := tableOf(newMap(t, ebpf.Array, 4, 8, 16)); err == nil || !strings.Contains(err.Error(), "Array") {
		t.Errorf("an array is %+v, %v", got, err)
	}
}

// What is not there is named, and does not keep the rest from being read.
func TestReadSaysWhatIsAbsent(t *testing.T) {
	root := t.TempDir()
	r, err := Read(Spec{Root: root, Pins: []string{"tc/globals/x", "tc/globals/y*"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, pin := range []string{"tc/globals/x", "tc/globals/y*"} {
		if !slices.Contains(r.Absent, pin) {
			t.Errorf("%s is not among %q", pin, r.Absent)
		}
	}
	if _, has := r.Find(Conntrack); has == (r.Missing[Conntrack] != "" || slices.Contains(r.Absent, Conntrack)) {
		t.Errorf("nf_conntrack is there: %t; absent: %q, missing: %q", has, r.Absent, r.Missing)
	}
	if _, err := readMap(filepath.Join(root, "no")); err == nil {
		t.Error("a map that is not there was read")
	}
}

// Pins are found below the node's root, by name and by pattern.
func TestReadFindsPins(t *testing.T) {
	ct, array := newMap(t, ebpf.LRUHash, 4, 8, 1024), newMap(t, ebpf.Array, 4, 8, 16)
	if err := ct.Put(uint32(1), uint64(1)); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	var got Report
	err := inMountNamespace(func() error {
		globals := filepath.Join(root, pins, "tc/globals")
		if err := os.MkdirAll(filepath.Join(root, pins), 0o755); err != nil {
			return err
		}
		if err := unix.Mount("bpf", filepath.Join(root, pins), "bpf", 0, ""); err != nil {
			return err
		}
		if err := os.MkdirAll(globals, 0o755); err != nil {
			return err
		}
		if err := errors.Join(ct.Pin(filepath.Join(globals, "x_ct2")), array.Pin(filepath.Join(globals, "x_array"))); err != nil {
			return err
		}
		var err error
		got, err = Read(Spec{Root: root, Pins: []string{"tc/globals/x_ct[0-9]*", "tc/globals/x_array", "tc/globals/x_other"}})
		return err
	})
	if errors.Is(err, unix.EPERM) {
		t.Skip("no permission to mount")
	}
	if err != nil {
		t.Fatal(err)
	}
	if table, _ := got.Find("x_ct2"); table != (Table{Name: "x_ct2", Evicts: true, Entries: 1, Limit: 1024}) {
		t.Errorf("x_ct2 is %+v", table)
	}
	if !strings.Contains(got.Missing["x_array"], "Array") || !slices.Contains(got.Absent, "tc/globals/x_other") {
		t.Errorf("missing %q, absent %q", got.Missing, got.Absent)
	}
}

// inMountNamespace calls a function whose mounts nobody else sees, and which go
// with its thread.
func inMountNamespace(do func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with this goroutine
		err := unix.Unshare(unix.CLONE_NEWNS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if err == nil {
			err = do()
		}
		result <- err
	}()
	return <-result
}
