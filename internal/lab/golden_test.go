package lab

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/lab/node"
	"github.com/cnibench/cnibench/internal/lab/supply"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", name, diff)
	}
}

func TestKubeletConfig(t *testing.T) {
	config := Defaults("a")
	config.MaxPods = 42
	text := kubeletConfig(config, "/cnibench/a/node1")
	golden(t, "kubelet.yaml", []byte(text))
	var parsed struct {
		Kind           string `yaml:"kind"`
		CgroupRoot     string `yaml:"cgroupRoot"`
		MaxPods        int    `yaml:"maxPods"`
		Authentication struct{ Anonymous, Webhook struct{ Enabled bool } }
		Authorization  struct{ Mode string }
	}
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatal(err)
	}
	if parsed.Kind != "KubeletConfiguration" || parsed.CgroupRoot != "/cnibench/a/node1" || parsed.MaxPods != 42 {
		t.Errorf("the file says %+v", parsed)
	}
	if parsed.Authentication.Anonymous.Enabled || parsed.Authorization.Mode != "Webhook" {
		t.Errorf("anybody may use the kubelet: %+v", parsed)
	}
}

func TestContainerdConfig(t *testing.T) {
	text := containerdConfig(plainRuntime)
	golden(t, "containerd.toml", []byte(text))
	var parsed struct {
		Version int
		GRPC    struct{ Address string }
		Plugins map[string]map[string]any
	}
	if _, err := toml.Decode(text, &parsed); err != nil {
		t.Fatal(err)
	}
	cri := parsed.Plugins["io.containerd.grpc.v1.cri"]
	if parsed.GRPC.Address != containerdSocket || cri["sandbox_image"] != PauseImage || cri["restrict_oom_score_adj"] != true {
		t.Errorf("the file says %+v", parsed)
	}
}

// exampleKit has made-up places and nothing at them.
func exampleKit() supply.Kit {
	return supply.Kit{
		Dir: "/cache", Kubernetes: "/cache/kubernetes/1/kubernetes", NodeRoot: "/cache/debian/1/root",
		NodeProgram: "/cache/programs/1/cnibench-node", ProbeProgram: "/cache/programs/1/cnibench-probe",
	}
}

func exampleSpecification(t *testing.T, kubeProxy string) node.Lab {
	t.Helper()
	t.Setenv("CNIBENCH_STATE", "/state")
	c := Defaults("a")
	c.Nodes, c.MTU, c.KubeProxy = 2, 9000, kubeProxy
	l := &Lab{record: record{Config: c}}
	spec := l.specification(exampleKit())
	for i := range spec.Nodes {
		// Machines whose kernel has no modules do not show them to nodes.
		spec.Nodes[i].Binds = slices.DeleteFunc(spec.Nodes[i].Binds, func(b node.Bind) bool { return b.Source == "/lib/modules" })
	}
	return spec
}

func TestSpecification(t *testing.T) {
	spec := exampleSpecification(t, "nftables")
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "specification.json", append(text, '\n'))
}

func TestSpecificationWithoutKubeProxy(t *testing.T) {
	for _, n := range exampleSpecification(t, "none").Nodes {
		for _, s := range n.Services {
			if s.Name == "kube-proxy" {
				t.Errorf("%s runs %q", n.Name, s.Argv)
			}
		}
	}
}

// What a node runs is there, in a control group of the node's own, and nodes
// share nothing that they can write to.
func TestSpecificationHolds(t *testing.T) {
	spec := exampleSpecification(t, "iptables")
	writable := map[string]string{}
	for _, n := range spec.Nodes {
		if n.Cgroup != spec.Cgroup+"/"+n.Name {
			t.Errorf("%s is in the control group %s", n.Name, n.Cgroup)
		}
		programs := map[string]bool{"/usr/bin/containerd": true} // in the root file system
		for _, b := range n.Binds {
			programs[b.Target] = true
			if owner, taken := writable[b.Source]; taken && !b.ReadOnly {
				t.Errorf("%s and %s both write to %s", owner, n.Name, b.Source)
			}
			if !b.ReadOnly {
				writable[b.Source] = n.Name
			}
		}
		groups := map[string]string{n.Cgroup + "/init": "pid 1", node.ExecGroup(n.Cgroup): "commands"}
		for _, s := range n.Services {
			if !programs[s.Argv[0]] {
				t.Errorf("%s on %s runs %s, which is not there", s.Name, n.Name, s.Argv[0])
			}
			if other, taken := groups[s.Cgroup]; taken || filepath.Dir(s.Cgroup) != n.Cgroup {
				t.Errorf("%s on %s is in the control group %s (%s)", s.Name, n.Name, s.Cgroup, other)
			}
			groups[s.Cgroup] = s.Name
		}
	}
}
