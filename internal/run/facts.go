package run

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe/facts"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// factsTimeout bounds each look at a node or a pod: a campaign does not wait for
// what only explains it.
const factsTimeout = 10 * time.Second

// reading is what was read of a cluster's nodes and load pods.
type reading struct {
	client, server facts.Report
	nodes          map[string]facts.Report
	around         map[string]cluster.Around
}

// noteFacts adds to a variant what its nodes and pods are, as they are with the
// plugin in place. Nothing of it fails a campaign: what could not be read is
// missing, with the reason.
func (r *Runner) noteFacts(ctx context.Context, a *Installed, v *result.Variant) {
	var got reading
	both(
		func() { got.client = readPod(ctx, a, a.Pair.Client) },
		func() { got.server = readPod(ctx, a, a.Pair.Server) },
	)
	both(
		func() { got.nodes = readNodes(ctx, a, v.Nodes, got) },
		func() { got.around = r.lookAround(ctx, a, v.Nodes) },
	)
	describe(v, got, sync.OnceValues(facts.ReadHere))
	v.LoadNodes = slices.Compact([]string{a.Pair.Client.Node, a.Pair.Server.Node})
	v.Path = hops(got, a.Pair, a.Proof)
}

// both calls two functions at the same time.
func both(first, second func()) {
	var group sync.WaitGroup
	group.Go(first)
	group.Go(second)
	group.Wait()
}

// unread is the report of what could not be asked.
func unread(err error) facts.Report {
	r := facts.Report{Kernel: facts.New(), Node: facts.New()}
	r.Kernel.Miss(result.Unread, err.Error())
	r.Node.Miss(result.Unread, err.Error())
	return r
}

func readPod(ctx context.Context, a *Installed, pod cluster.Pod) facts.Report {
	ctx, cancel := context.WithTimeout(ctx, factsTimeout)
	defer cancel()
	report, err := stage.PodFacts(ctx, a.Cluster, pod)
	if err != nil {
		return unread(err)
	}
	return report
}

// readNodes asks all nodes at the same time. They know the links of the load
// pods by number only.
func readNodes(ctx context.Context, a *Installed, nodes []result.Node, got reading) map[string]facts.Report {
	ctx, cancel := context.WithTimeout(ctx, factsTimeout)
	defer cancel()
	reports := make([]facts.Report, len(nodes))
	var group sync.WaitGroup
	for i, n := range nodes {
		group.Go(func() {
			spec := facts.Spec{Address: n.Address, As: "uplink", Peers: peers(n.Name, a.Pair, got)}
			var err error
			if reports[i], err = stage.NodeFacts(ctx, a.Cluster, n.Name, spec); err != nil {
				reports[i] = unread(err)
			}
		})
	}
	group.Wait()
	all := map[string]facts.Report{}
	for i, n := range nodes {
		all[n.Name] = reports[i]
	}
	return all
}

// What the nodes' ends of the load pods' links are called. Client and server
// may be on one node.
const podLink, serverLink = "pod-link", "pod-link-of-server"

func peers(node string, pair stage.Pair, got reading) map[string]int {
	all := map[string]int{}
	note := func(name string, pod cluster.Pod, report facts.Report) {
		if l := find(report.Links, "pod"); pod.Node == node && !pod.HostNetwork && l.Peer != 0 {
			all[name] = l.Peer
		}
	}
	note(podLink, pair.Client, got.client)
	name := podLink
	if pair.Server.Node == pair.Client.Node {
		name = serverLink
	}
	note(name, pair.Server, got.server)
	return all
}

// find returns the link that is called so, or none.
func find(links []facts.Link, as string) facts.Link {
	if i := slices.IndexFunc(links, func(l facts.Link) bool { return l.As == as }); i >= 0 {
		return links[i]
	}
	return facts.Link{}
}

// lookAround asks the API about the nodes.
func (r *Runner) lookAround(ctx context.Context, a *Installed, nodes []result.Node) map[string]cluster.Around {
	ctx, cancel := context.WithTimeout(ctx, factsTimeout)
	defer cancel()
	around, err := a.Cluster.Around(ctx, r.pluginNamespaces(a.Entry))
	if err == nil {
		return around
	}
	around = map[string]cluster.Around{}
	for _, n := range nodes {
		around[n.Name] = cluster.Around{Missing: map[string]string{"placement": err.Error(), "foreign": err.Error()}}
	}
	return around
}

// pluginNamespaces lists where plugins have their pods, which are not foreign.
func (r *Runner) pluginNamespaces(measured cni.Entry) []string {
	namespaces := []string{measured.Install.Namespace}
	for _, name := range r.Catalog.Names() {
		if e, err := r.Catalog.Entry(name, cni.Choice{}); err == nil {
			namespaces = append(namespaces, e.Install.Namespace)
		}
	}
	slices.Sort(namespaces)
	return slices.DeleteFunc(slices.Compact(namespaces), func(n string) bool { return n == "" })
}

// describe puts what was read in its place: what belongs to a kernel once, the
// rest to nodes and pods. Here reads the kernel of this computer, which may be
// that of nodes that see less of it.
func describe(v *result.Variant, got reading, here func() (bootID string, kernel facts.Facts)) {
	v.Ends = map[string]result.Facts{"client": result.Facts(got.client.Node), "server": result.Facts(got.server.Node)}
	v.Kernels = nil
	index := map[string]int{} // of kernels, by boot id
	for i, n := range v.Nodes {
		report := got.nodes[n.Name]
		own := facts.New()
		own.Merge(report.Node)
		own.Merge(facts.Facts(got.around[n.Name]))
		v.Nodes[i].Facts = result.Facts(own)
		known, shared := index[report.BootID]
		if shared && report.BootID != "" {
			v.Kernels[known].Nodes = append(v.Kernels[known].Nodes, n.Name)
			continue
		}
		index[report.BootID] = len(v.Kernels)
		v.Kernels = append(v.Kernels, result.Kernel{Nodes: []string{n.Name}, Facts: result.Facts(completed(report, here))})
	}
}

// completed adds what a node does not see of its kernel and this process does.
func completed(report facts.Report, here func() (string, facts.Facts)) facts.Facts {
	kernel := facts.New()
	kernel.Merge(report.Kernel)
	bootID, seen := here()
	if bootID == "" || bootID != report.BootID {
		return kernel
	}
	for name := range report.Kernel.Missing {
		if value, known := seen.Values[name]; known {
			kernel.Set(name, value)
		}
	}
	if _, missing := kernel.Missing["kernel.config"]; missing && seen.Values["kernel.config.sha256"] != "" {
		delete(kernel.Missing, "kernel.config")
		for name, value := range seen.Values {
			if strings.HasPrefix(name, "kernel.config.") || name == "kernel.irq-time" {
				kernel.Set(name, value)
			}
		}
	}
	return kernel
}

// hops lists what packets from the client to the server pass and what each
// carries, then what the client's kernel believes of the route and what the
// proof found to pass.
func hops(got reading, pair stage.Pair, proof cni.Proof) []result.Hop {
	list := end("client", got.client, got.nodes[pair.Client.Node], podLink)
	name := podLink
	if pair.Server.Node == pair.Client.Node {
		name = serverLink
	}
	back := end("server", got.server, got.nodes[pair.Server.Node], name)
	if pair.Server.Node == pair.Client.Node { // packets stay on the node
		list, back = pods(list), pods(back)
	}
	slices.Reverse(back)
	list = append(list, back...)
	for _, h := range []result.Hop{{Place: "route", MTU: proof.MTU.Route}, {Place: "path", MTU: proof.MTU.Bytes}} {
		if h.MTU > 0 {
			list = append(list, h)
		}
	}
	return list
}

func pods(list []result.Hop) []result.Hop {
	return slices.DeleteFunc(list, func(h result.Hop) bool { return h.Link == "uplink" || isTunnel(h.Link) })
}

func isTunnel(link string) bool { return strings.HasPrefix(link, "tunnel ") }

// end lists the links from a pod to the wire: of the pod, the node's end of it,
// the bridge that it is on, tunnels, and the card.
func end(side string, pod, node facts.Report, peer string) []result.Hop {
	var list []result.Hop
	add := func(place, link string, l facts.Link) {
		if l.MTU > 0 {
			list = append(list, result.Hop{Place: side + " " + place, Link: link, MTU: l.MTU})
		}
	}
	inside := find(pod.Links, "pod")
	add("pod", inside.Name, inside)
	outside := find(node.Links, peer)
	add("node", "pod's link", outside)
	for _, l := range node.Links {
		if l.Index == outside.Master && outside.Master != 0 {
			add("node", l.Kind+" "+l.Name, l)
		}
	}
	for _, l := range node.Links {
		if facts.IsTunnel(l.Kind) {
			add("node", "tunnel "+l.Name, l)
		}
	}
	for _, l := range node.Links {
		if strings.HasPrefix(l.As, "uplink.") {
			add("node", l.Name, l)
		}
	}
	add("node", "uplink", find(node.Links, "uplink"))
	return list
}
