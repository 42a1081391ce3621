package probe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sysfs makes files below a directory that stands for sysfs.
func sysfs(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestReadTopology(t *testing.T) {
	for _, tt := range []struct {
		name, iface string
		files       map[string]string
		want        Topology
	}{
		{
			"two NUMA nodes and one of memory alone", "eth0",
			map[string]string{
				"devices/system/cpu/online": "0-7", "devices/system/node/node0/cpulist": "0-3", "devices/system/node/node1/cpulist": "4-7",
				"devices/system/node/node2/cpulist": "", "class/net/eth0/device/numa_node": "1",
			},
			Topology{"0-7", []NUMANode{{0, "0-3"}, {1, "4-7"}}, 1},
		},
		{
			"a virtual interface, a kernel without NUMA", "eth0",
			map[string]string{"devices/system/cpu/online": "0-1", "class/net/eth0/mtu": "1500"},
			Topology{"0-1", []NUMANode{{0, "0-1"}}, -1},
		},
		{"no interface", "", map[string]string{"devices/system/cpu/online": "0"}, Topology{"0", []NUMANode{{0, "0"}}, -1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadTopology(sysfs(t, tt.files), tt.iface)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := ReadTopology(t.TempDir(), "eth0"); err == nil {
		t.Error("a machine without CPUs is accepted")
	}
}
