package tables

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/cilium/ebpf"
)

// batch is how many entries the kernel copies at once. A bucket that has more
// cannot be copied at all.
const batch = 4096

// readMap counts the entries of a pinned map. The name is the caller's to give.
func readMap(pin string) (Table, error) {
	m, err := ebpf.LoadPinnedMap(pin, &ebpf.LoadPinOptions{ReadOnly: true})
	if err != nil {
		return Table{}, fmt.Errorf("opening the map: %w", err)
	}
	defer func() { _ = m.Close() }() // nothing was written
	return tableOf(m)
}

func tableOf(m *ebpf.Map) (Table, error) {
	kind := m.Type()
	if kind != ebpf.Hash && kind != ebpf.LRUHash {
		return Table{}, fmt.Errorf("it is a map of type %s, whose entries do not come and go", kind)
	}
	entries, err := count(m)
	if err != nil {
		return Table{}, fmt.Errorf("counting the map's entries: %w", err)
	}
	return Table{Evicts: kind == ebpf.LRUHash, Entries: entries, Limit: uint64(m.MaxEntries())}, nil
}

// count copies all entries out, in batches: to ask for one key after the other
// would begin anew whenever a key goes meanwhile.
func count(m *ebpf.Map) (uint64, error) {
	keys, values := blocks(int(m.KeySize())), blocks(int(m.ValueSize()))
	var cursor ebpf.MapBatchCursor
	var total uint64
	for {
		n, err := m.BatchLookup(&cursor, keys, values, nil)
		total += uint64(n)
		if errors.Is(err, ebpf.ErrKeyNotExist) {
			return total, nil // that was the last batch
		}
		if err != nil {
			return 0, err
		}
	}
}

// blocks has room for a batch of keys or values, whose size is only known when
// the map is open.
func blocks(size int) any {
	return reflect.MakeSlice(reflect.SliceOf(reflect.ArrayOf(size, reflect.TypeFor[byte]())), batch, batch).Interface()
}
