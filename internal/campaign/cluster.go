package campaign

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// clusterKeys are the keys of spec.cluster, of which a campaign has one.
var clusterKeys = document.Keys{Valid: []string{"lab", "existing", "command"}}

// clusterOrNone also returns the cluster, or none if there is a problem with
// it: then nobody knows what fits it.
func (d *decoder) clusterOrNone(n *yaml.Node, c *Cluster) Cluster {
	before := len(d.Problems)
	if n != nil {
		d.cluster(n, c)
	}
	if len(d.Problems) > before {
		return Cluster{}
	}
	return *c
}

// cluster reads where the variants run. Without any key that is a lab.
func (d *decoder) cluster(n *yaml.Node, c *Cluster) {
	fields, ok := d.Object(n, "cluster", clusterKeys)
	if !ok {
		return
	}
	d.onlyOne(n, "cluster", clusterKeys.Valid)
	switch {
	case fields["existing"] != nil:
		*c = Cluster{Existing: d.existing(fields["existing"])}
	case fields["command"] != nil:
		*c = Cluster{Command: d.command(fields["command"])}
	case fields["lab"] != nil:
		d.lab(fields["lab"], c.Lab)
	}
}

// onlyOne reports every key of a mapping after the first, of those that
// exclude each other.
func (d *decoder) onlyOne(n *yaml.Node, what string, exclusive []string) {
	var first *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := document.Resolve(n.Content[i])
		for _, name := range exclusive {
			switch {
			case key.Value != name:
			case first == nil:
				first = key
			case first.Value != name: // the same twice is reported as such
				d.Report(key, fmt.Sprintf("%s is given by %s on line %d and by %s on line %d", what, first.Value, first.Line, name, key.Line),
					"keep one of the two")
			}
		}
	}
}

// existingKeys are the keys of spec.cluster.existing.
var existingKeys = document.Keys{Valid: []string{"kubeconfig", "context", "allowCNIChange", "allowForeign", "nodes", "outside", "peer"}}

func (d *decoder) existing(n *yaml.Node) *Existing {
	e := &Existing{}
	fields, ok := d.Object(n, "existing", existingKeys)
	if !ok {
		return e
	}
	if v := fields["kubeconfig"]; v != nil {
		d.NonEmpty(v, "kubeconfig", "write the path of a kubeconfig, or remove it to use $KUBECONFIG", &e.Kubeconfig)
	}
	if v := fields["context"]; v != nil {
		d.NonEmpty(v, "context", `write a name from "kubectl config get-contexts", or remove it to use the current one`, &e.Context)
	}
	if v := fields["allowCNIChange"]; v != nil {
		d.Boolean(v, "allowCNIChange", &e.AllowCNIChange)
	}
	if v := fields["allowForeign"]; v != nil {
		d.Boolean(v, "allowForeign", &e.AllowForeign)
	}
	if v := fields["nodes"]; v != nil {
		d.loadNodes(v, &e.Nodes)
	}
	if v := fields["outside"]; v != nil {
		d.outside(v, &e.Outside)
	}
	if v := fields["peer"]; v != nil {
		e.Peer = d.peer(v, *e)
	}
	return e
}

// peerKeys are the keys of spec.cluster.existing.peer.
var peerKeys = document.Keys{Valid: []string{"kubeconfig", "context", "nodes"}}

// peer reads the second of two clusters, which must be another one.
func (d *decoder) peer(n *yaml.Node, first Existing) *Peer {
	p := &Peer{Kubeconfig: first.Kubeconfig}
	fields, ok := d.Object(n, "peer", peerKeys)
	if !ok {
		return p
	}
	if v := fields["kubeconfig"]; v != nil {
		d.NonEmpty(v, "kubeconfig", "write the path of a kubeconfig, or remove it to use that of the first cluster", &p.Kubeconfig)
	}
	if v := fields["context"]; v != nil {
		d.NonEmpty(v, "context", `write a name from "kubectl config get-contexts", or remove it to use the current one`, &p.Context)
	}
	if v := fields["nodes"]; v != nil {
		d.loadNodes(v, &p.Nodes)
	}
	if p.Kubeconfig == first.Kubeconfig && p.Context == first.Context {
		d.Report(n, "peer is the same cluster as the first", "write another kubeconfig or context")
	}
	return p
}

// commandKeys are the keys of spec.cluster.command.
var commandKeys = document.Keys{Valid: []string{"up", "down", "kubeconfig", "nodes", "outside"}}

func (d *decoder) command(n *yaml.Node) *Command {
	c := &Command{}
	fields, ok := d.Object(n, "command", commandKeys)
	if !ok {
		return c
	}
	for _, k := range []struct {
		name, hint string
		into       *string
	}{
		{"up", "add up: COMMAND, which makes the cluster $CNIBENCH_CLUSTER", &c.Up},
		{"down", "add down: COMMAND, which removes the cluster $CNIBENCH_CLUSTER", &c.Down},
		{"kubeconfig", "add kubeconfig: PATH, or a COMMAND that prints the path", &c.Kubeconfig},
	} {
		if v := d.Required(n, fields, k.name, k.hint); v != nil {
			d.NonEmpty(v, k.name, strings.Replace(k.hint, "add", "write", 1), k.into)
		}
	}
	if v := fields["nodes"]; v != nil {
		d.loadNodes(v, &c.Nodes)
	}
	if v := fields["outside"]; v != nil {
		d.outside(v, &c.Outside)
	}
	return c
}

// outsideKeys are the keys of a host outside the cluster.
var outsideKeys = document.Keys{Valid: []string{"address", "command"}}

func (d *decoder) outside(n *yaml.Node, into *Outside) {
	fields, ok := d.Object(n, "outside", outsideKeys)
	if !ok {
		return
	}
	for _, k := range []struct {
		name, hint string
		into       *string
	}{
		{"address", "add address: ADDRESS, by which the cluster's nodes know the host", &into.Address},
		{"command", "add command: COMMAND, such as ssh HOST, which runs on the host the program that is appended", &into.Command},
	} {
		if v := d.Required(n, fields, k.name, k.hint); v != nil {
			d.NonEmpty(v, k.name, strings.Replace(k.hint, "add", "write", 1), k.into)
		}
	}
}

// nodesKeys are the keys of the nodes of an existing cluster.
var nodesKeys = document.Keys{Valid: []string{"server", "client", "selector", "controlPlane", "all"}}

func (d *decoder) loadNodes(n *yaml.Node, into *Nodes) {
	fields, ok := d.Object(n, "nodes", nodesKeys)
	if !ok {
		return
	}
	const hint = `write a name from "kubectl get nodes"`
	if v := fields["server"]; v != nil {
		d.NonEmpty(v, "server", hint, &into.Server)
	}
	if v := fields["client"]; v != nil {
		d.NonEmpty(v, "client", hint, &into.Client)
	}
	if v := fields["selector"]; v != nil {
		d.NonEmpty(v, "selector", "write labels such as pool=bench", &into.Selector)
	}
	if v := fields["controlPlane"]; v != nil {
		d.Boolean(v, "controlPlane", &into.ControlPlane)
	}
	if v := fields["all"]; v != nil {
		d.Boolean(v, "all", &into.All)
	}
	switch {
	case into.Server != "" && into.Server == into.Client:
		d.Report(fields["client"], fmt.Sprintf("server and client are both %q", into.Client),
			"name two nodes; placement: same-node of a scenario uses the server's for both ends")
	case into.Selector != "" && into.Server+into.Client != "":
		d.Report(fields["selector"], "nodes are chosen by name and by selector", "keep one of the two")
	}
}
