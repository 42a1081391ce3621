package docs_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/cnibench/cnibench/internal/docs"
)

// clusterFiles writes the files that docs/clusters.md shows and returns their
// texts by name.
func clusterFiles(t *testing.T) (dir string, texts map[string]string) {
	t.Helper()
	blocks, _ := docs.Parse(read(t, filepath.Join(root, "docs/clusters.md")))
	dir, texts = t.TempDir(), map[string]string{}
	if err := docs.WriteFiles(dir, blocks); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		texts[b.Argument] = b.Text
	}
	return dir, texts
}

// decodeStrictly wants every key of a YAML document to be one of into's.
func decodeStrictly(t *testing.T, d *yaml.Decoder, into any) {
	t.Helper()
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

func TestClusterCampaigns(t *testing.T) {
	dir, _ := clusterFiles(t)
	for _, name := range []string{"existing.yaml", "compare.yaml", "fresh.yaml", "outside-existing.yaml"} {
		cmd := exec.Command(program, "plan", "-f", filepath.Join(dir, name))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// kind's own types: a key that kind does not know fails.
func TestKindConfig(t *testing.T) {
	_, texts := clusterFiles(t)
	var c v1alpha4.Cluster
	decodeStrictly(t, yaml.NewDecoder(strings.NewReader(texts["kind.yaml"])), &c)
	if c.Kind != "Cluster" || c.APIVersion != "kind.x-k8s.io/v1alpha4" {
		t.Errorf("it is a %s of %s", c.Kind, c.APIVersion)
	}
	if !c.Networking.DisableDefaultCNI || c.Networking.KubeProxyMode != v1alpha4.IPTablesProxyMode || len(c.Nodes) != 3 {
		t.Errorf("networking %+v with %d nodes", c.Networking, len(c.Nodes))
	}
}

func TestServerConfigs(t *testing.T) {
	_, texts := clusterFiles(t)
	// The flags are those of `k3s server` and `rke2 server`, whose
	// configuration files have them as keys.
	var k3s struct {
		FlannelBackend       string `yaml:"flannel-backend"`
		DisableNetworkPolicy bool   `yaml:"disable-network-policy"`
		DisableKubeProxy     bool   `yaml:"disable-kube-proxy"`
		ClusterCIDR          string `yaml:"cluster-cidr"`
		ServiceCIDR          string `yaml:"service-cidr"`
		Disable              []string
	}
	decodeStrictly(t, yaml.NewDecoder(strings.NewReader(texts["k3s.yaml"])), &k3s)
	if k3s.FlannelBackend != "none" || !k3s.DisableNetworkPolicy {
		t.Errorf("k3s would bring its own plugin: %+v", k3s)
	}
	var rke2 struct {
		CNI              string
		DisableKubeProxy bool   `yaml:"disable-kube-proxy"`
		ClusterCIDR      string `yaml:"cluster-cidr"`
		ServiceCIDR      string `yaml:"service-cidr"`
	}
	decodeStrictly(t, yaml.NewDecoder(strings.NewReader(texts["rke2.yaml"])), &rke2)
	if rke2.CNI != "none" {
		t.Errorf("RKE2 would bring its own plugin: %+v", rke2)
	}
}

func TestKubeadmConfig(t *testing.T) {
	_, texts := clusterFiles(t)
	d := yaml.NewDecoder(strings.NewReader(texts["kubeadm.yaml"]))
	var cluster struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Networking struct {
			PodSubnet     string `yaml:"podSubnet"`
			ServiceSubnet string `yaml:"serviceSubnet"`
		}
	}
	decodeStrictly(t, d, &cluster)
	if cluster.Kind != "ClusterConfiguration" || cluster.Networking.PodSubnet == "" {
		t.Errorf("without a pod network nodes get no pod CIDR: %+v", cluster)
	}
	var proxy struct {
		APIVersion string `yaml:"apiVersion"`
		Kind, Mode string
	}
	decodeStrictly(t, d, &proxy)
	if proxy.Kind != "KubeProxyConfiguration" || proxy.Mode != "iptables" {
		t.Errorf("kube-proxy: %+v", proxy)
	}
}

func TestWorkflow(t *testing.T) {
	dir, _ := clusterFiles(t)
	cmd := exec.Command("go", "tool", "-modfile="+filepath.Join("hack", "actionlint", "go.mod"), "actionlint", "-shellcheck=", "-pyflakes=", filepath.Join(dir, "workflow.yaml"))
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}
