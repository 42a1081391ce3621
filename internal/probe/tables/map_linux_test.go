package tables

import (
	"errors"
	"path/filepath"
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
