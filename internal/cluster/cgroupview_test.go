package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each view is parsed from what a node prints, and then names a pod's group.
func TestCgroupView(t *testing.T) {
	agent := Pod{UID: "1f2e-3d", QOS: "BestEffort"}
	for _, tt := range []struct {
		name, text string
		pods       map[string]string // group by class of a pod with the UID a-b
		all        []string
	}{
		{"systemd, version 2",
			"pod /sys/fs/cgroup/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1f2e_3d.slice\n" +
				"program kubelet 0::/system.slice/kubelet.service\nprogram containerd 0::/system.slice/containerd.service\n" +
				"program kube-proxy 0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod9.slice/cri-containerd-8.scope\n" +
				"self 0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1f2e_3d.slice/cri-containerd-1.scope\n",
			map[string]string{
				"Guaranteed": "/kubepods.slice/kubepods-poda_b.slice",
				"Burstable":  "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poda_b.slice",
			},
			[]string{"/kubepods.slice", "/system.slice/containerd.service", "/system.slice/kubelet.service"}},
		{"systemd below a root of its own, as in kind",
			"pod /sys/fs/cgroup/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod1f2e_3d.slice\n" +
				"program kubelet 0::/kubelet.slice/kubelet.service\n" +
				"self 0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod1f2e_3d.slice/x.scope\n",
			map[string]string{"BestEffort": "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-poda_b.slice"},
			[]string{"/kubelet.slice/kubelet-kubepods.slice", "/kubelet.slice/kubelet.service"}},
		{"cgroupfs, version 1, several controllers",
			"pod /sys/fs/cgroup/cpu,cpuacct/kubepods/besteffort/pod1f2e-3d\npod /sys/fs/cgroup/memory/kubepods/besteffort/pod1f2e-3d\n" +
				"program kubelet 9:memory:/other\nprogram kubelet 4:cpu,cpuacct:/system.slice/kubelet.service\nprogram kubelet 0::/\n" +
				"self 4:cpu,cpuacct:/kubepods/besteffort/pod1f2e-3d/1\nself 0::/elsewhere\n",
			map[string]string{"Guaranteed": "/kubepods/poda-b", "Burstable": "/kubepods/burstable/poda-b"},
			[]string{"/kubepods", "/system.slice/kubelet.service"}},
		{"a namespace that begins below the mount",
			"pod /sys/fs/cgroup/cpuacct/labs/a/node1/kubepods/besteffort/pod1f2e-3d\nprogram kubelet 4:cpuacct:/kubelet\n" +
				"self 4:cpuacct:/kubepods/besteffort/pod1f2e-3d/1\n",
			map[string]string{"Guaranteed": "/labs/a/node1/kubepods/poda-b"},
			[]string{"/labs/a/node1/kubelet", "/labs/a/node1/kubepods"}},
		{"a namespace that shows nothing",
			"pod /sys/fs/cgroup/kubepods/besteffort/pod1f2e-3d\nprogram kubelet 0::/kubelet\nself 0::/../x\n",
			map[string]string{"Guaranteed": "/kubepods/poda-b"}, []string{"/kubepods"}},
		{"a program in the root group has none of its own",
			"pod /sys/fs/cgroup/kubepods/besteffort/pod1f2e-3d\nprogram kubelet 0::/\nprogram crio 0::/../outside\n",
			map[string]string{"Guaranteed": "/kubepods/poda-b"}, []string{"/kubepods"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := parseView(tt.text, agent)
			if err != nil {
				t.Fatal(err)
			}
			for class, want := range tt.pods {
				if got := v.pod(Pod{UID: "a-b", QOS: class}); got != want {
					t.Errorf("a pod of class %s is in %s, want %s", class, got, want)
				}
			}
			if diff := cmp.Diff(tt.all, v.all()); diff != "" {
				t.Errorf("groups of the node (-want +got):\n%s", diff)
			}
			own := "/sys/fs/cgroup" + v.pod(agent)
			if v1 := strings.Contains(tt.text, "cpuacct"); !v1 && !strings.Contains(tt.text, own+"\n") {
				t.Errorf("the agent itself is in %s, not %s", tt.text, own)
			}
		})
	}
}

// No attribution is better than a wrong one.
func TestCgroupViewUnknown(t *testing.T) {
	agent := Pod{UID: "1", QOS: "BestEffort"}
	for name, text := range map[string]string{
		"nothing":         "program kubelet 0::/system.slice/kubelet.service\n",
		"another class":   "pod /sys/fs/cgroup/kubepods/burstable/pod1\n",
		"two places":      "pod /sys/fs/cgroup/a/besteffort/pod1\npod /sys/fs/cgroup/b/besteffort/pod1\n",
		"at the very top": "pod /sys/fs/cgroup/besteffort/pod1\n",
		"no group at all": "pod \n",
	} {
		if v, err := parseView(text, agent); err == nil {
			t.Errorf("%s: taken for %+v", name, v)
		}
	}
}

func FuzzParseView(f *testing.F) {
	f.Add("pod /sys/fs/cgroup/kubepods/besteffort/pod1\nprogram kubelet 0::/system.slice/kubelet.service\n")
	f.Add("pod /sys/fs/cgroup/memory/kubepods.slice/kubepods-besteffort.slice/x.slice\nprogram crio 4:cpu,cpuacct:/a\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parseView(text, Pod{UID: "1", QOS: "BestEffort"})
		if err != nil {
			return
		}
		groups := v.all()
		for _, g := range groups {
			if !strings.HasPrefix(g, "/") || g == "/" {
				t.Errorf("%q gives the group %q", text, g)
			}
			for _, other := range groups {
				if strings.HasPrefix(other, g+"/") {
					t.Errorf("%q counts %s twice, in %s", text, other, g)
				}
			}
		}
	})
}
