package doctor

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/cnibench/cnibench/internal/prose"
)

// What a published benchmark's minimum specification asks for. It is a
// recommendation: less is a warning, because labs are less and useful.
const (
	leastWorkers    = 3
	leastCPUs       = 4
	leastMemoryMiB  = 16 << 10
	memorySlack     = 0.94 // of the nominal size: firmware and kernel take some
	leastMbit       = 10_000
	leastKubernetes = "1.28.0"
	leastIperf3     = "3.13.0"
)

var specificationChecks = []Check{
	{
		ID: "spec.workers", Title: "three workers", Worst: Warning, Kinds: clusters, judge: oneFinding(workers),
		Why: "load between one pair of nodes says little about a cluster, and with two nodes the plugin's own pods share them with the load",
	},
	{
		ID: "spec.cpu", Title: "four CPUs on every node", Worst: Warning, Kinds: everywhere, judge: eachNode(enoughCPUs),
		Why: "with few CPUs the processor is the limit, and throughput says what the datapath costs in CPU rather than what it carries",
	},
	{
		ID: "spec.memory", Title: "16 GiB of memory on every node", Worst: Warning, Kinds: everywhere, judge: eachNode(enoughMemory),
		Why: "agents, load pods and their buffers need room, or reclaiming memory takes CPU from the load",
	},
	{
		ID: "spec.nic", Title: "network cards of 10 Gbit/s", Worst: Warning, Kinds: onCluster, judge: eachNode(fastCard),
		Why: "a slow card is the limit for every plugin and hides their differences",
	},
	{
		ID: "spec.disk", Title: "no spinning disks", Worst: Warning, Kinds: everywhere, judge: eachNode(solidDisks),
		Why: "pulling images, etcd and logs compete for a slow disk and delay what is measured",
	},
	{
		ID: "spec.kubernetes", Title: "Kubernetes 1.28 or newer", Worst: Warning, Kinds: clusters, judge: oneFinding(newKubernetes),
		Why: "plugins are built for current versions, and older ones get no fixes",
	},
	{
		ID: "spec.iperf3", Title: "iperf3 3.13 or newer, or one process per stream", Worst: Unfit, Kinds: clusters, judge: oneFinding(newIperf3),
		Why: "throughput is measured with iperf3 in the load pods; below 3.16 it has a single thread, so that cnibench runs one process per stream",
	},
}

func workers(s Snapshot) Finding {
	n := 0
	for _, node := range s.Nodes {
		if node.Worker {
			n++
		}
	}
	if n >= leastWorkers {
		return ok("", "%s", prose.Plural(n, "worker"))
	}
	return found(Warning, "", fmt.Sprintf("%s, %d are recommended", prose.Plural(n, "worker"), leastWorkers),
		"add nodes; for a lab: `cnibench lab up NAME --nodes 3`")
}

func enoughCPUs(_ Snapshot, n Node) Finding {
	switch {
	case n.CPUs == 0:
		return unknown("", firstReason(n.Missing[PartFacts], "the node does not say how many CPUs it has"))
	case n.CPUs < leastCPUs:
		return found(Warning, "", fmt.Sprintf("%s, %d are recommended", prose.Plural(n.CPUs, "CPU"), leastCPUs),
			"use larger machines, or fewer streams (`streams: 4`), and read the CPU figures beside every result")
	}
	return ok("", "%d CPUs", n.CPUs)
}

func enoughMemory(_ Snapshot, n Node) Finding {
	gib := float64(n.MemoryMiB) / 1024
	switch {
	case n.MemoryMiB == 0:
		return unknown("", firstReason(n.Missing[PartFacts], "the node does not say how much memory it has"))
	case float64(n.MemoryMiB) < memorySlack*leastMemoryMiB:
		return found(Warning, "", fmt.Sprintf("%.1f GiB, %d are recommended", gib, leastMemoryMiB>>10), "use machines with more memory")
	}
	return ok("", "%.1f GiB", gib)
}

func fastCard(_ Snapshot, n Node) Finding {
	speed, missing := n.fact("uplink.speed")
	mbit, is := leadingInt(speed)
	switch {
	case missing != "":
		return unknown("", "the speed of the uplink: "+missing)
	case !is:
		return unknown("", fmt.Sprintf("the speed of the uplink reads %q", speed))
	case mbit < leastMbit:
		return found(Warning, "", fmt.Sprintf("the uplink has %d Mbit/s, %d are recommended", mbit, leastMbit),
			"use nodes with faster cards, or compare CPU per Gbit/s instead of throughput")
	}
	return ok("", "%d Mbit/s", mbit)
}

func solidDisks(_ Snapshot, n Node) Finding {
	if why := n.vital("disks"); why != "" {
		return unknown("", why)
	}
	var spin, solid, silent []string
	for _, d := range n.Vitals.Disks {
		switch virtual := strings.HasPrefix(d.Name, "vd") || strings.HasPrefix(d.Name, "xvd"); {
		case !d.Rotational:
			solid = append(solid, d.Name)
		case virtual: // the hypervisor's default, whatever is behind it
			silent = append(silent, d.Name)
		default:
			spin = append(spin, d.Name)
		}
	}
	switch {
	case len(spin) > 0:
		return found(Warning, "", "the kernel takes "+some(spin)+" for spinning", "use SSDs; on virtual machines the kernel may be wrong")
	case len(silent) > 0:
		return unknown("", "virtual disks do not tell what is behind them: "+some(silent))
	}
	return ok("", "%s", some(solid))
}

func newKubernetes(s Snapshot) Finding {
	if s.Kubernetes == "" {
		return unknown("", "the API server's version is not known")
	}
	older, err := olderThan(s.Kubernetes, leastKubernetes)
	switch {
	case err != nil:
		return unknown("", err.Error())
	case older:
		return found(Warning, "", "the API server is "+s.Kubernetes, "upgrade the cluster to 1.28 or newer")
	}
	return ok("", "%s", s.Kubernetes)
}

func newIperf3(s Snapshot) Finding {
	if s.Iperf3 == "" {
		return unknown("", firstReason(s.Missing[PartIperf3], "nobody asked"))
	}
	older, err := olderThan(s.Iperf3, leastIperf3)
	switch {
	case err != nil:
		return found(Unfit, "", "the load pods have no iperf3 that runs: "+err.Error(), "use an image from `cnibench image build`: tools.image in the campaign, or --image")
	case older:
		return ok("", "%s, with one process per stream", s.Iperf3)
	}
	return ok("", "%s", s.Iperf3)
}

// olderThan compares versions; what distributions append does not count.
func olderThan(version, least string) (bool, error) {
	v, err := semver.NewVersion(version)
	if err != nil {
		return false, fmt.Errorf("version %q cannot be read", version)
	}
	core := semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
	return core.LessThan(semver.MustParse(least)), nil
}

func firstReason(reasons ...string) string {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return ""
}
