package stage

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
)

// NoOutside is why a campaign without a host outside has no client there.
const NoOutside = "nobody knows a host outside this cluster: " +
	"name one that can be reached from here in cluster.existing.outside or cluster.command.outside, with its address and the command that runs a program there"

// OutsideEnd is the end of a load on a host that is no node of the cluster. A
// cluster whose provider knows no such host is an [*UnsupportedError].
func OutsideEnd(c *cluster.Cluster) (LoadEnd, error) {
	host, ok := c.Outside()
	if !ok {
		return LoadEnd{}, &UnsupportedError{NoOutside}
	}
	words := fmt.Sprintf("machine %s %s, no node of the cluster", host.Name, host.Address)
	return LoadEnd{Name: host.Name, Words: words, Run: ProbeOnNode(c, host.Name)}, nil
}

// makeForOutside makes the server's pod alone: the client is none.
func (s *Stage) makeForOutside(ctx context.Context, ends Ends, entry, server string) (Pair, error) {
	if _, err := OutsideEnd(s.cluster); err != nil {
		return Pair{}, err
	}
	if ends.Image != "" {
		return Pair{}, &UnsupportedError{"a host outside the cluster runs no image"}
	}
	node, err := s.node(ctx, entry)
	if err != nil {
		return Pair{}, err
	}
	_, name := ends.podNames()
	if err := s.clear(ctx, name); err != nil {
		return Pair{}, err
	}
	pods, err := s.cluster.CreatePods(ctx, []*corev1.Pod{s.Pod(name, server, ends.Server, echoCommand(EchoPort))}, PodTimeout)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Server: pods[0], Ends: ends, Entry: node}, nil
}

// entry says at which node the load of a client outside enters.
func (p Pair) entry() string {
	if p.Entry.Name == p.Server.Node {
		return fmt.Sprintf("%s %s, where the server is", p.Entry.Name, p.Entry.Address)
	}
	return fmt.Sprintf("%s %s, and the server is on %s", p.Entry.Name, p.Entry.Address, p.Server.Node)
}

// EntryFacts tell where the load of a client outside enters the cluster, where
// that is known.
func (a Address) EntryFacts() map[string]string {
	if a.enters == "" {
		return nil
	}
	return map[string]string{"enters the cluster at": a.enters}
}

// node looks up a node that has an address.
func (s *Stage) node(ctx context.Context, name string) (cluster.Node, error) {
	nodes, err := s.cluster.Nodes(ctx)
	if err != nil {
		return cluster.Node{}, err
	}
	for _, n := range nodes {
		if n.Name == name && n.Address != "" {
			return n, nil
		}
	}
	return cluster.Node{}, fmt.Errorf("node %s has no address inside the cluster", name)
}

// OutsideMisfit says what a client outside the cluster cannot be combined with,
// and the remedy; empty for nothing.
func OutsideMisfit(v parameter.Values) (problem, remedy string) {
	if !v.Has(AnyClient.Name) || v.Text(AnyClient.Name) != External {
		return "", ""
	}
	switch path := v.Text(Path.Name); path {
	case ClusterIP, ServiceName, Headless:
		return fmt.Sprintf("client %s and path %s: the cluster's own addresses and names mean nothing outside of it", External, path),
			"write path: node-port or path: load-balancer"
	}
	if v.Has(NICRTT.Name) && v.Boolean(NICRTT.Name) {
		return "nic-rtt measures at the cards of nodes, and client external is on none", "leave nic-rtt out"
	}
	if v.Has(IPFamily.Name) && chosen(v.Text(IPFamily.Name)) {
		return "ip-family chooses among the addresses of pods and Services, and client external has one address", "leave ip-family out"
	}
	for _, p := range []parameter.Parameter{cpuset, numa} {
		if v.Has(p.Name) && v.Text(p.Name) != p.Default[0] {
			return p.Name + " chooses CPUs of load pods, and client external is none", "leave " + p.Name + " out"
		}
	}
	return "", ""
}
