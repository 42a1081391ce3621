package cgroup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMountsV1(t *testing.T) {
	for _, tt := range []struct {
		name, mountinfo string
		want            []string
	}{
		{"nothing", "", nil},
		{
			"version 1 with the version 2 mount beside it",
			`21 1 254:1 / / rw,relatime - ext4 /dev/root rw
25 21 0:23 / /sys/fs/cgroup rw,nosuid - tmpfs tmpfs ro,mode=755
26 25 0:24 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate
27 25 0:25 / /sys/fs/cgroup/systemd rw,nosuid - cgroup cgroup rw,xattr,name=systemd
28 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct
29 25 0:27 / /sys/fs/cgroup/freezer rw shared:9 master:3 - cgroup cgroup rw,freezer
`,
			[]string{"/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/freezer"},
		},
		{
			"copies elsewhere do not count",
			`30 21 0:26 / /run/node/sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
31 21 0:26 / /sys/fs/cgroup/cpu/nested rw - cgroup cgroup rw,cpu
32 21 0:30 / /sys/fs/cgroup/memory rw - tmpfs tmpfs rw
`,
			nil,
		},
		{"a line that is cut off", "29 25 0:27 / /sys/fs/cgroup/freezer rw - \n28 25\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, mountsV1(tt.mountinfo)); diff != "" {
				t.Errorf("mounts (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzMountsV1(f *testing.F) {
	f.Add("28 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct\n")
	f.Add("29 25 0:27 / /sys/fs/cgroup/freezer rw - cgroup\n\n - \n")
	f.Fuzz(func(t *testing.T, mountinfo string) {
		for _, dir := range mountsV1(mountinfo) {
			if len(dir) <= len(root)+1 || dir[:len(root)+1] != root+"/" {
				t.Errorf("%q is not below %s", dir, root)
			}
		}
	})
}
