package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
)

// Parameters of every scenario that places load pods: on which CPUs the load
// runs.
var (
	cpuset = parameter.Parameter{
		Name: "cpuset", Kind: parameter.CPUs, Default: []string{parameter.FreeCPUs},
		Help: "CPUs that the load may use: 0-3 for both ends, 0-3:4-7 for client and server",
	}
	numa = parameter.Parameter{
		Name: "numa", Kind: parameter.Choice, Default: []string{numaFree}, Choices: []string{numaFree, numaNear, numaFar},
		Help: "whether the load runs on the CPUs near its node's network card, or on the others",
	}
)

// Choices of the parameter numa.
const (
	numaFree = "free"
	numaNear = "near" // the NUMA node of the network card
	numaFar  = "far"  // the others
)

// WithPinning adds the parameters that choose CPUs to those of a scenario that
// places load pods.
func WithPinning(parameters []parameter.Parameter) []parameter.Parameter {
	placed := func(p parameter.Parameter) bool { return p.Name == Placement.Name }
	if !slices.ContainsFunc(parameters, placed) {
		return parameters
	}
	return append(slices.Clone(parameters), cpuset, numa)
}

// PinningMisfit refuses two ways to choose CPUs at once.
func PinningMisfit(v parameter.Values) (problem, remedy string) {
	if !v.Has(cpuset.Name) || !v.Has(numa.Name) || v.Text(cpuset.Name) == parameter.FreeCPUs || v.Text(numa.Name) == numaFree {
		return "", ""
	}
	return fmt.Sprintf("cpuset %s and numa %s choose CPUs both", v.Text(cpuset.Name), v.Text(numa.Name)), "leave one of the two out"
}

// Pinned returns a bench whose load runs on the CPUs that the parameters cpuset
// and numa choose, and facts that say which they are. What the nodes do not
// have is an [*UnsupportedError].
func (b *Bench) Pinned(ctx context.Context, v parameter.Values) (*Bench, map[string]string, error) {
	if !v.Has(cpuset.Name) || !v.Has(numa.Name) {
		return b, nil, nil
	}
	list, near := v.Text(cpuset.Name), v.Text(numa.Name)
	if list == parameter.FreeCPUs && near == numaFree {
		return b, nil, nil
	}
	ends, err := b.topologies(ctx, EndsOf(v).Placement)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := choose(list, near, ends)
	if err != nil {
		return nil, nil, err
	}
	pinned := *b
	pinned.Cluster = b.Cluster.Pinned(func(p cluster.Pod) []int { return chosen.of(p) })
	return &pinned, chosen.facts(near), nil
}

// home is where one end of a load runs.
type home struct {
	node     string
	uplink   string
	topology probe.Topology
}

// topologies looks at the nodes of the client and of the server.
func (b *Bench) topologies(ctx context.Context, placement string) ([2]home, error) {
	nodes := b.Cluster.LoadNodes()
	client, server := nodes[0], nodes[0]
	if placement == CrossNode && len(nodes) > 1 {
		server = nodes[1]
	}
	ends := [2]home{}
	for i, node := range []string{client, server} {
		ends[i] = home{node: node, uplink: b.Cluster.Site().Uplink}
		var err error
		if ends[i].topology, err = b.topology(ctx, node); err != nil {
			return ends, fmt.Errorf("looking at the CPUs of %s: %w", node, err)
		}
	}
	return ends, nil
}

// topology asks the probe on a node.
func (b *Bench) topology(ctx context.Context, node string) (probe.Topology, error) {
	args := []string{"topology"}
	if uplink := b.Cluster.Site().Uplink; uplink != "" {
		args = append(args, uplink)
	}
	var t probe.Topology
	var stdout, stderr bytes.Buffer
	if err := b.Cluster.RunOnNode(ctx, node, b.Cluster.ProbeArgv(args...), nil, &stdout, &stderr); err != nil {
		return t, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	_, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(payload, &t)
}

// choice is the CPUs of the client and of the server; none: all.
type choice struct {
	cpus [2][]int
	why  [2]string // for people
}

// choose finds the CPUs of both ends on their nodes.
func choose(list, near string, ends [2]home) (choice, error) {
	var c choice
	for i, h := range ends {
		var err error
		if near != numaFree {
			c.cpus[i], c.why[i], err = h.byNUMA(near)
		} else {
			client, server := parameter.EndCPUs(list)
			c.cpus[i], err = h.listed([][]int{client, server}[i])
		}
		if err != nil {
			return choice{}, err
		}
	}
	return c, nil
}

// listed checks that a node has the CPUs.
func (h home) listed(cpus []int) ([]int, error) {
	online, ok := parameter.ParseCPUs(h.topology.Online)
	if !ok {
		return nil, fmt.Errorf("reading the CPUs of %s: %q is no list", h.node, h.topology.Online)
	}
	for _, cpu := range cpus {
		if !slices.Contains(online, cpu) {
			return nil, &UnsupportedError{fmt.Sprintf("%s has no CPU %d; its CPUs are %s", h.node, cpu, h.topology.Online)}
		}
	}
	return cpus, nil
}

// byNUMA finds the CPUs near the network card, or all others. On a node with
// one NUMA node all are near.
func (h home) byNUMA(near string) ([]int, string, error) {
	t := h.topology
	switch {
	case len(t.NUMA) < 2 && near == numaNear:
		return nil, "all of " + h.node + ", which has one NUMA node", nil
	case len(t.NUMA) < 2:
		return nil, "", &UnsupportedError{h.node + " has one NUMA node: no CPU is far from its network card"}
	case t.Card < 0:
		return nil, "", &UnsupportedError{fmt.Sprintf("the interface %q of %s does not say which of %d NUMA nodes it is attached to", h.uplink, h.node, len(t.NUMA))}
	}
	var cpus []int
	for _, n := range t.NUMA {
		if (n.ID == t.Card) != (near == numaNear) {
			continue
		}
		more, ok := parameter.ParseCPUs(n.CPUs)
		if !ok {
			return nil, "", fmt.Errorf("reading the NUMA nodes of %s: %q is no list of CPUs", h.node, n.CPUs)
		}
		cpus = append(cpus, more...)
	}
	if len(cpus) == 0 {
		return nil, "", &UnsupportedError{fmt.Sprintf("no CPU of %s is %s to NUMA node %d, where %s is", h.node, near, t.Card, h.uplink)}
	}
	slices.Sort(cpus)
	return cpus, "", nil
}

// of returns the CPUs of a pod, which is the server's or else the client's.
func (c choice) of(p cluster.Pod) []int {
	if strings.HasPrefix(p.Name, "server-") {
		return c.cpus[1]
	}
	return c.cpus[0]
}

// facts say which CPUs they are.
func (c choice) facts(near string) map[string]string {
	facts := map[string]string{}
	if near != numaFree {
		facts[numa.Name] = near
	}
	for i, name := range []string{"client CPUs", "server CPUs"} {
		facts[name] = c.why[i]
		if len(c.cpus[i]) > 0 {
			facts[name] = parameter.FormatCPUs(c.cpus[i])
		}
	}
	return facts
}
