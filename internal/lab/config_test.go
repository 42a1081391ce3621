package lab

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestDefaultsAreValid(t *testing.T) {
	if err := Defaults("lab").Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   string // part of the error; empty: valid
	}{
		{"shortest name", func(c *Config) { c.Name = "a" }, ""},
		{"longest name", func(c *Config) { c.Name = strings.Repeat("a", 40) }, ""},
		{"name too long", func(c *Config) { c.Name = strings.Repeat("a", 41) }, "at most 40"},
		{"no name", func(c *Config) { c.Name = "" }, `lab name ""`},
		{"name of a file", func(c *Config) { c.Name = ".." }, `lab name ".."`},
		{"name with a path", func(c *Config) { c.Name = "a/b" }, `lab name "a/b"`},
		{"name of the scratch lab", func(c *Config) { c.Name = storeName }, `lab name ".images"`},
		{"upper case", func(c *Config) { c.Name = "Lab" }, `lab name "Lab"`},
		{"dash at the end", func(c *Config) { c.Name = "lab-" }, `lab name "lab-"`},
		{"two lines", func(c *Config) { c.Name = "lab\n" }, "lab name"},
		{"one node", func(c *Config) { c.Nodes = 1 }, ""},
		{"no node", func(c *Config) { c.Nodes = 0 }, "0 nodes: want 1 to 60"},
		{"most nodes", func(c *Config) { c.Nodes = 60 }, ""},
		{"too many nodes", func(c *Config) { c.Nodes = 61 }, "61 nodes: want 1 to 60"},
		{"least MTU", func(c *Config) { c.MTU = 1280 }, ""},
		{"MTU too small", func(c *Config) { c.MTU = 1279 }, "mtu 1279: want 1280 to 65535"},
		{"largest MTU", func(c *Config) { c.MTU = 65535 }, ""},
		{"MTU too large", func(c *Config) { c.MTU = 65536 }, "mtu 65536: want 1280 to 65535"},
		{"no pods", func(c *Config) { c.MaxPods = 0 }, "0 pods per node: want 1 to 600"},
		{"most pods", func(c *Config) { c.MaxPods = 600 }, ""},
		{"too many pods", func(c *Config) { c.MaxPods = 601 }, "601 pods per node: want 1 to 600"},
		{"nftables", func(c *Config) { c.KubeProxy = "nftables" }, ""},
		{"no kube-proxy", func(c *Config) { c.KubeProxy = "none" }, ""},
		{"unknown mode", func(c *Config) { c.KubeProxy = "ipvs" }, `kube-proxy mode "ipvs": want one of iptables, nftables, none`},
		{"empty mode", func(c *Config) { c.KubeProxy = "" }, `kube-proxy mode ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Defaults("lab")
			tt.change(&c)
			err := c.Validate()
			if tt.want == "" && err != nil {
				t.Errorf("error %v, want none", err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// No two machines of the largest lab have the same address, and none has one
// of a pod or a Service.
func TestAddressesAreUnique(t *testing.T) {
	n := Config{IPFamily: DualStack}.network()
	for f, family := range n.families() {
		nodes := n.nodes()[f]
		owner := map[netip.Addr]string{
			n.host(bridgeHost)[f].Addr(): "the switch", n.host(controlHost)[f].Addr(): "the API server",
			nodes.Masked().Addr(): "the network", n.host(255)[f].Addr(): "the broadcast address",
		}
		if len(owner) != 4 {
			t.Fatalf("%s: two of these are the same: %v", family, owner)
		}
		for i := 1; i <= maxNodes; i++ {
			a := n.worker(i)[f]
			if other, taken := owner[a.Addr()]; taken {
				t.Errorf("%s has the address %s of %s", workerName(i), a, other)
			}
			owner[a.Addr()] = workerName(i)
			if !nodes.Contains(a.Addr()) || a.Bits() != nodes.Bits() {
				t.Errorf("%s of %s is not in %s", a, workerName(i), nodes)
			}
		}
	}
}

// Labs that are joined have no address in common, of nodes, pods and Services,
// and all nodes are where the joined labs' route leads.
func TestJoinedLabsShareNoAddress(t *testing.T) {
	owner := map[netip.Prefix]string{}
	for number := range maxNetworks {
		n := Config{Network: number, IPFamily: DualStack}.network()
		for what, prefixes := range map[string][]netip.Prefix{"nodes": n.nodes(), "pods": n.pods(), "Services": n.services()} {
			for f, prefix := range prefixes {
				if prefix != prefix.Masked() || prefix.Addr().Is6() != (n.families()[f] == IPv6) {
					t.Errorf("%s of lab %d: %s is no network of the family %s", what, number, prefix, n.families()[f])
				}
				for other, whose := range owner {
					if other.Overlaps(prefix) {
						t.Errorf("%s of lab %d overlap %s: %s", what, number, whose, other)
					}
				}
				owner[prefix] = fmt.Sprintf("%s of lab %d", what, number)
				if inside := n.allNodes()[f].Overlaps(prefix); inside != (what == "nodes") {
					t.Errorf("%s of lab %d, %s: among all nodes' %s is %t", what, number, prefix, n.allNodes()[f], inside)
				}
			}
		}
	}
}

// The pod network has room for the largest lab with the most pods.
func TestPodNetworkHasRoom(t *testing.T) {
	n := Config{IPFamily: DualStack}.network()
	for f, perNode := range []int{PodCIDRPerNode, podCIDRPerNode6} {
		if subnets := 1 << (perNode - n.pods()[f].Bits()); subnets < maxNodes {
			t.Errorf("%d subnets for %d nodes", subnets, maxNodes)
		}
	}
	if addresses := 1<<(32-PodCIDRPerNode) - 2; addresses < maxPods {
		t.Errorf("%d addresses for %d pods", addresses, maxPods)
	}
	for _, family := range IPFamilies() {
		c := Config{IPFamily: family}
		for _, a := range []string{c.ClusterDNS(), c.network().service(1).String()} {
			if !c.ServiceCIDRs()[0].Contains(netip.MustParseAddr(a)) {
				t.Errorf("%s is not in %s", a, c.ServiceCIDRs()[0])
			}
		}
	}
}

// Every program of the control plane and of workers is told of both families,
// and of one with the flags for one.
func TestFamiliesOfPrograms(t *testing.T) {
	for _, tt := range []struct{ family, size, ranges, nodeIP string }{
		{IPv4, "--node-cidr-mask-size=22", "--service-cluster-ip-range=10.96.0.0/16", "--node-ip=198.18.0.11"},
		{IPv6, "--node-cidr-mask-size=64", "--service-cluster-ip-range=fd00:10:96::/112", "--node-ip=2001:2::b"},
		{
			DualStack, "--node-cidr-mask-size-ipv6=64", "--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112",
			"--node-ip=198.18.0.11,2001:2::b",
		},
	} {
		c := Defaults("a")
		c.IPFamily = tt.family
		manager, api := controllerManagerArgv(c.network()), apiserverArgv(c.network())
		if !slices.Contains(manager, tt.size) || !slices.Contains(manager, tt.ranges) || !slices.Contains(api, tt.ranges) {
			t.Errorf("%s: %q, %q", tt.family, manager, api)
		}
		if kubelet := workerServices(c, 1, "/a")[1]; !slices.Contains(kubelet.Argv, tt.nodeIP) {
			t.Errorf("%s: %q", tt.family, kubelet.Argv)
		}
	}
}
