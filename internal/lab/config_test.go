package lab

import (
	"fmt"
	"net/netip"
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
	c := Defaults("a")
	nodes := c.network().nodes()
	owner := map[netip.Addr]string{
		c.network().host(bridgeHost).Addr(): "the switch", c.APIAddress().Addr(): "the API server",
		nodes.Masked().Addr(): "the network", netip.MustParseAddr("198.18.0.255"): "the broadcast address",
	}
	if len(owner) != 4 {
		t.Fatalf("two of these are the same: %v", owner)
	}
	for i := 1; i <= maxNodes; i++ {
		a := c.network().worker(i)
		if other, taken := owner[a.Addr()]; taken {
			t.Errorf("%s has the address %s of %s", workerName(i), a, other)
		}
		owner[a.Addr()] = workerName(i)
		if !nodes.Contains(a.Addr()) || a.Bits() != nodes.Bits() {
			t.Errorf("%s of %s is not in %s", a, workerName(i), nodes)
		}
	}
}

// Labs that are joined have no address in common, of nodes, pods and Services,
// and all nodes are where the joined labs' route leads.
func TestJoinedLabsShareNoAddress(t *testing.T) {
	owner := map[netip.Prefix]string{}
	for number := range maxNetworks {
		c := Config{Network: number}
		for what, text := range map[string]string{"nodes": c.network().nodes().String(), "pods": c.PodCIDR(), "Services": c.ServiceCIDR()} {
			prefix, err := netip.ParsePrefix(text)
			if err != nil || prefix != prefix.Masked() {
				t.Errorf("%s of lab %d: %q is no network: %v", what, number, text, err)
			}
			for other, whose := range owner {
				if other.Overlaps(prefix) {
					t.Errorf("%s of lab %d overlap %s: %s", what, number, whose, other)
				}
			}
			owner[prefix] = fmt.Sprintf("%s of lab %d", what, number)
			if inside := allNodes.Overlaps(prefix); inside != (what == "nodes") {
				t.Errorf("%s of lab %d, %s: among all nodes' %s is %t", what, number, prefix, allNodes, inside)
			}
		}
	}
}

// The pod network has room for the largest lab with the most pods.
func TestPodNetworkHasRoom(t *testing.T) {
	c := Defaults("a")
	if subnets := 1 << (PodCIDRPerNode - netip.MustParsePrefix(c.PodCIDR()).Bits()); subnets < maxNodes {
		t.Errorf("%d subnets for %d nodes", subnets, maxNodes)
	}
	if addresses := 1<<(32-PodCIDRPerNode) - 2; addresses < maxPods {
		t.Errorf("%d addresses for %d pods", addresses, maxPods)
	}
	services := netip.MustParsePrefix(c.ServiceCIDR())
	for _, a := range []string{c.ClusterDNS(), c.network().service(1).String()} {
		if !services.Contains(netip.MustParseAddr(a)) {
			t.Errorf("%s is not in %s", a, services)
		}
	}
}
