package lab

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Config is what a user can choose about a lab.
type Config struct {
	Name      string `json:"name"`
	Nodes     int    `json:"nodes"`
	MTU       int    `json:"mtu"`       // of the switch and of every node's interface, in bytes
	KubeProxy string `json:"kubeProxy"` // one of KubeProxyModes
	MaxPods   int    `json:"maxPods"`   // per node
	// IPFamily is one of IPFamilies; empty: IPv4.
	IPFamily string `json:"ipFamily,omitempty"`
	// Peer is the name of a lab whose nodes this one's are to reach; empty:
	// nobody's. Both go on alone when the other ends.
	Peer string `json:"peer,omitempty"`
	// Network numbers the lab's addresses; [Up] chooses it, so that those of
	// labs that are joined do not overlap.
	Network int `json:"network,omitempty"`
	// Note is shown in lists; the caller writes there what runs in the lab.
	Note string `json:"note,omitempty"`
	// Owner, if set, is the process without which the lab has no purpose: a lab
	// whose owner has died is removed by the next command.
	Owner *Process `json:"owner,omitempty"`
}

// KubeProxyModes lists the values of Config.KubeProxy.
func KubeProxyModes() []string { return []string{"iptables", "nftables", "none"} }

// Families of addresses that a lab may have. With both, IPv4 is the first: that
// of the API server, and of Services that ask for none.
const (
	IPv4      = "ipv4"
	IPv6      = "ipv6"
	DualStack = "dual"
)

// IPFamilies lists the values of Config.IPFamily.
func IPFamilies() []string { return []string{IPv4, IPv6, DualStack} }

// Defaults is the lab of a user who chooses nothing but a name.
func Defaults(name string) Config {
	return Config{Name: name, Nodes: 3, MTU: 1500, KubeProxy: "iptables", MaxPods: 110}
}

// Limits of a lab. A pod network of /22 per node holds 1022 addresses, room
// for the most pods of a node and their successors; a /16 holds 64 of them.
const (
	maxNodes   = 60
	maxPods    = 600
	minMTU     = 1280 // the least that IPv6 allows
	maxMTU     = 65535
	maxNameLen = 40
)

var namePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// Validate names the first value that no lab can have.
func (c Config) Validate() error {
	switch {
	case !namePattern.MatchString(c.Name) || len(c.Name) > maxNameLen:
		return fmt.Errorf("lab name %q: want at most %d lower-case letters, digits and dashes", c.Name, maxNameLen)
	case c.Nodes < 1 || c.Nodes > maxNodes:
		return fmt.Errorf("%d nodes: want 1 to %d", c.Nodes, maxNodes)
	case c.MTU < minMTU || c.MTU > maxMTU:
		return fmt.Errorf("mtu %d: want %d to %d", c.MTU, minMTU, maxMTU)
	case c.MaxPods < 1 || c.MaxPods > maxPods:
		return fmt.Errorf("%d pods per node: want 1 to %d", c.MaxPods, maxPods)
	case c.IPFamily != "" && !slices.Contains(IPFamilies(), c.IPFamily):
		return fmt.Errorf("IP family %q: want one of %s", c.IPFamily, strings.Join(IPFamilies(), ", "))
	case c.Peer == c.Name:
		return fmt.Errorf("lab %s cannot be its own peer", c.Name)
	case !slices.Contains(KubeProxyModes(), c.KubeProxy):
		return fmt.Errorf("kube-proxy mode %q: want one of %s", c.KubeProxy, strings.Join(KubeProxyModes(), ", "))
	}
	return nil
}
