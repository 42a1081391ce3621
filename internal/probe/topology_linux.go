package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ReadTopology reads a node's topology from sysfs, mounted at root. The
// interface's name may be empty.
func ReadTopology(root, iface string) (Topology, error) {
	t := Topology{Card: -1}
	var err error
	if t.Online, err = readWord(filepath.Join(root, "devices/system/cpu/online")); err != nil {
		return t, fmt.Errorf("reading the node's CPUs: %w", err)
	}
	dirs, err := filepath.Glob(filepath.Join(root, "devices/system/node/node[0-9]*"))
	if err != nil {
		return t, err
	}
	for _, dir := range dirs {
		id, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), "node"))
		if err != nil {
			continue
		}
		cpus, err := readWord(filepath.Join(dir, "cpulist"))
		if err != nil {
			return t, fmt.Errorf("reading the CPUs of NUMA node %d: %w", id, err)
		}
		if cpus != "" { // memory alone has none
			t.NUMA = append(t.NUMA, NUMANode{id, cpus})
		}
	}
	if len(t.NUMA) == 0 { // a kernel without CONFIG_NUMA
		t.NUMA = []NUMANode{{0, t.Online}}
	}
	t.Card, err = cardNode(root, iface)
	return t, err
}

// cardNode reads which NUMA node an interface's device is attached to.
func cardNode(root, iface string) (int, error) {
	if iface == "" || strings.Contains(iface, "/") {
		return -1, nil
	}
	word, err := readWord(filepath.Join(root, "class/net", iface, "device/numa_node"))
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil // a virtual interface has no device
	}
	if err != nil {
		return -1, fmt.Errorf("reading the NUMA node of %s: %w", iface, err)
	}
	id, err := strconv.Atoi(word)
	if err != nil {
		return -1, fmt.Errorf("reading the NUMA node of %s: %w", iface, err)
	}
	return id, nil
}

func readWord(file string) (string, error) {
	data, err := os.ReadFile(file)
	return strings.TrimSpace(string(data)), err
}

// topologyCommand takes the name of an interface, or nothing.
func topologyCommand(_ context.Context, args []string, _ io.Reader, stdout io.Writer) error {
	iface, rest := shift(args)
	if len(rest) > 0 {
		return &usageError{fmt.Sprintf("topology does not take %q", rest[0]), "give the name of one interface"}
	}
	t, err := ReadTopology("/sys", iface)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameTopology, t)
}
