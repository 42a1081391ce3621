package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is "lab", "existing" or "command".
func (c Cluster) Kind() string {
	switch {
	case c.Existing != nil:
		return "existing"
	case c.Command != nil:
		return "command"
	}
	return "lab"
}

// Shared tells whether all variants take turns on one cluster: the one that
// exists, or one that a command makes for all of them.
func (p Plan) Shared() bool {
	return p.Cluster.Existing != nil || p.Cluster.Command != nil && !p.FreshCluster
}

// Description says in one line where the variants run; empty for a plan
// without a cluster.
func (c Cluster) Description() string {
	switch {
	case c.Existing != nil:
		return c.Existing.description()
	case c.Command != nil:
		return fmt.Sprintf("command: made by %q, removed by %q%s%s", c.Command.Up, c.Command.Down, c.Command.Nodes.description(), c.Command.Outside.description())
	case c.Lab != nil:
		text := fmt.Sprintf("lab: %s, MTU %s, kube-proxy %s, at most %d pods per node", count(c.Lab.Nodes, "node"), c.Lab.mtu(), c.Lab.KubeProxy, c.Lab.MaxPods)
		switch c.Lab.IPFamily {
		case "ipv6":
			text += ", IPv6 alone"
		case "dual":
			text += ", IPv4 and IPv6"
		}
		if c.Lab.Peer {
			text += ", and a second such lab beside it"
		}
		return text
	}
	return ""
}

func (l Lab) mtu() string {
	if l.MTU == 0 {
		return "by variant"
	}
	return strconv.Itoa(l.MTU)
}

func (e Existing) description() string {
	var b strings.Builder
	b.WriteString("existing: ")
	if e.Context == "" {
		b.WriteString("the current context")
	} else {
		b.WriteString("context " + e.Context)
	}
	if e.Kubeconfig != "" {
		b.WriteString(" of " + e.Kubeconfig)
	}
	b.WriteString(e.Nodes.description())
	b.WriteString(e.Outside.description())
	if e.AllowCNIChange {
		b.WriteString(", network plugins are installed and removed")
	} else {
		b.WriteString(", its network plugin is left alone")
	}
	if e.AllowForeign {
		b.WriteString(", other workloads may run beside")
	}
	if e.Peer != nil {
		b.WriteString("; " + e.Peer.description())
	}
	return b.String()
}

// description is of the second cluster alone.
func (p Peer) description() string {
	text := "the second cluster: "
	if p.Context == "" {
		text += "the current context"
	} else {
		text += "context " + p.Context
	}
	if p.Kubeconfig != "" {
		text += " of " + p.Kubeconfig
	}
	return text + p.Nodes.description()
}

func (o Outside) description() string {
	if o.Address == "" {
		return ""
	}
	return ", a host outside at " + o.Address
}

func (n Nodes) description() string {
	var parts []string
	if n.Server != "" {
		parts = append(parts, "server on "+n.Server)
	}
	if n.Client != "" {
		parts = append(parts, "client on "+n.Client)
	}
	if n.Selector != "" {
		parts = append(parts, "nodes with "+n.Selector)
	}
	if n.All {
		parts = append(parts, "all nodes that may carry load")
	}
	if n.ControlPlane {
		parts = append(parts, "control plane too")
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}
