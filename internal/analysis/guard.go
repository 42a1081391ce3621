package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// EnvironmentDifference is a property of two environments that is not the same
// in both and may explain a difference of results (docs/methodology.md section
// 5). A and B are its values; "none" is said of what is known not to be there,
// and "unknown: …" of a fact that could not be read.
type EnvironmentDifference struct {
	Name   string  `json:"name"` // such as kernel.release, version.kubernetes or uplink.offload.rx-gro
	A      string  `json:"a"`
	B      string  `json:"b"`
	Places []Place `json:"places"` // sorted
}

// Place is where environments differ. Without a variant it is the machine that
// runs the labs, or the whole environment.
type Place struct {
	Variant string `json:"variant,omitempty"`
	// Node is the part that it plays: "client node", "server node", "client
	// pod", "server pod"; empty for the whole cluster.
	Node string `json:"node,omitempty"`
}

// Where names the places, such as "host (client node, server node)".
func (d EnvironmentDifference) Where() string {
	var variants []string
	nodes := map[string][]string{}
	for _, p := range d.Places {
		if !slices.Contains(variants, p.Variant) {
			variants = append(variants, p.Variant)
		}
		if p.Node != "" {
			nodes[p.Variant] = append(nodes[p.Variant], p.Node)
		}
	}
	var parts []string
	for _, v := range variants {
		name := v
		if v == "" {
			name = "machine"
		}
		if len(nodes[v]) > 0 {
			name += " (" + strings.Join(nodes[v], ", ") + ")"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, "; ")
}

// In tells whether the difference concerns the variant: it is there, or on the
// machine that all variants share.
func (d EnvironmentDifference) In(variant string) bool {
	return slices.ContainsFunc(d.Places, func(p Place) bool { return p.Variant == "" || p.Variant == variant })
}

// EnvironmentDifferences compares the environments of two campaigns: machine,
// topology, versions and, for every variant that both have, its cluster. What
// tells two runs apart and explains nothing, such as names, addresses and times,
// is left out, and so is what one of them did not record. The list is sorted by
// name.
func EnvironmentDifferences(a, b result.Environment) []EnvironmentDifference {
	g := guard{}
	g.environments(a, b)
	for _, name := range slices.Sorted(maps.Keys(a.Variants)) {
		if other, both := b.Variants[name]; both {
			g.variants(name, a.Variants[name], other, true)
		}
	}
	return g.list()
}

// VariantDifferences compares what two variants ran on, which may belong to one
// campaign or to two. What is a plugin's own, its version, images, MTUs and
// settings, is what such a comparison is about and is left out; places carry
// the name of b.
func VariantDifferences(a, b result.Variant) []EnvironmentDifference {
	g := guard{}
	g.variants(b.Name, a, b, false)
	return g.list()
}

// guard collects differences: what is the same in several places is said once.
type guard map[[3]string][]Place

func (g guard) list() []EnvironmentDifference {
	list := []EnvironmentDifference{}
	for key, places := range g {
		slices.SortFunc(places, func(a, b Place) int {
			return cmp.Or(cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Node, b.Node))
		})
		list = append(list, EnvironmentDifference{Name: key[0], A: key[1], B: key[2], Places: slices.Compact(places)})
	}
	slices.SortFunc(list, func(a, b EnvironmentDifference) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return list
}

// note compares two values of which both are known.
func (g guard) note(where Place, name, a, b string) {
	if a != b && a != "" && b != "" {
		key := [3]string{name, a, b}
		g[key] = append(g[key], where)
	}
}

// maps compares what both sides recorded under one name.
func (g guard) maps(where Place, prefix string, a, b map[string]string) {
	for name, value := range a {
		g.note(where, prefix+name, value, b[name])
	}
}

// facts compares facts unless one side recorded none at all.
func (g guard) facts(where Place, a, b result.Facts, skip func(name string) bool) {
	if len(a.Values)+len(a.Missing) == 0 || len(b.Values)+len(b.Missing) == 0 {
		return
	}
	for _, d := range result.CompareFacts(a, b) {
		if !skip(d.Name) && (d.Name != "memory.total" || !sameMemory(d.A, d.B)) {
			g.note(where, d.Name, d.A, d.B)
		}
	}
}

// memoryTolerance is the share by which the memory of equal machines differs,
// because a kernel keeps some for itself when it boots.
const memoryTolerance = 0.02

func sameMemory(a, b string) bool {
	x, errA := strconv.ParseFloat(strings.TrimSuffix(a, " MiB"), 64)
	y, errB := strconv.ParseFloat(strings.TrimSuffix(b, " MiB"), 64)
	return errA == nil && errB == nil && math.Abs(x-y) <= memoryTolerance*max(x, y)
}

// environments compares what holds for all variants. A machine only matters
// where it runs the nodes. Names are those of the nodes' facts, so that one
// thing is said once.
func (g guard) environments(a, b result.Environment) {
	g.note(Place{}, "topology", a.Topology, b.Topology)
	g.note(Place{}, "version.cnibench", a.Cnibench, b.Cnibench)
	if a.Topology != "lab" || b.Topology != "lab" {
		return
	}
	x, y := a.Machine, b.Machine
	g.note(Place{}, "kernel.release", x.Kernel, y.Kernel)
	g.note(Place{}, "kernel.irq-time", x.IRQTime, y.IRQTime)
	g.note(Place{}, "machine.os", x.OS, y.OS)
	g.note(Place{}, "cpu.model", x.CPU, y.CPU)
	g.note(Place{}, "cpu.cores", number(x.Cores), number(y.Cores))
	g.note(Place{}, "cgroup.version", number(x.CgroupVersion), number(y.CgroupVersion))
	if p, q := mebibytes(x.MemoryBytes), mebibytes(y.MemoryBytes); !sameMemory(p, q) {
		g.note(Place{}, "memory.total", p, q)
	}
	g.maps(Place{}, "sysctl.", x.Sysctls, y.Sysctls)
}

// number is empty for 0, which says that nobody looked.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func mebibytes(bytes uint64) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// variants compares the clusters of two variants; same says that they are one
// variant in two campaigns, so that the plugin should be the same, too.
func (g guard) variants(name string, a, b result.Variant, same bool) {
	cluster := Place{Variant: name}
	for _, version := range []string{"kubernetes", "kubelet", "container runtime", "containerd", "runc"} {
		g.note(cluster, "version."+version, a.Versions[version], b.Versions[version])
	}
	g.note(cluster, "load.nodes", number(len(a.LoadNodes)), number(len(b.LoadNodes)))
	g.images(cluster, a.Digests, b.Digests, same)
	g.nodes(name, a, b, same)
	if !same {
		return
	}
	g.plugin(cluster, a, b)
	g.maps(Place{name, "client pod"}, "sysctl.", a.PodSysctls, b.PodSysctls)
	for _, end := range []string{"client", "server"} {
		g.facts(Place{name, end + " pod"}, a.Ends[end], b.Ends[end], never)
	}
}

func never(string) bool { return false }

// plugin compares the plugin and what it did to the path.
func (g guard) plugin(cluster Place, a, b result.Variant) {
	g.note(cluster, "plugin", a.Plugin, b.Plugin)
	if a.Plugin != "" && b.Plugin != "" {
		g.note(cluster, "plugin.version", cmp.Or(a.Version, "none"), cmp.Or(b.Version, "none"))
	}
	g.maps(cluster, "version.", a.Versions, b.Versions)
	g.note(cluster, "kube-proxy", a.KubeProxy, b.KubeProxy)
	g.note(Place{cluster.Variant, "client pod"}, "pod.mtu", a.Facts["pod MTU"], b.Facts["pod MTU"])
	for fact, name := range map[string]string{"link MTU": "link.mtu", "route MTU": "route.mtu", "path MTU": "path.mtu", "kube-proxy": "kube-proxy.beside"} {
		g.note(cluster, name, a.Facts[fact], b.Facts[fact])
	}
	g.note(cluster, "route.mtu", hop(a.Path, "route"), hop(b.Path, "route"))
	g.note(cluster, "path.mtu", hop(a.Path, "path"), hop(b.Path, "path"))
	// Both end or begin with what was measured, which is never twice the same.
	tunnel := func(s string) string { kind, _, _ := strings.Cut(s, ", link to pod bytes"); return kind }
	g.note(cluster, "proof.encapsulation", tunnel(a.Facts["encapsulation seen"]), tunnel(b.Facts["encapsulation seen"]))
	secret := func(s string) string { return strings.TrimSpace(s[strings.LastIndexByte(s, ':')+1:]) }
	g.note(cluster, "proof.encryption", secret(a.Facts["canary"]), secret(b.Facts["canary"]))
}

// hop returns the MTU of one place of a path, empty if it is not there. Those
// of links are facts of nodes and pods.
func hop(path []result.Hop, place string) string {
	for _, h := range path {
		if h.Place == place {
			return number(h.MTU)
		}
	}
	return ""
}

// images compares digests by repository: a tag belongs to the value. An image
// on one side only is a plugin's that the other has not, and then the digests
// of their manifests differ. The tools are everybody's.
func (g guard) images(cluster Place, a, b map[string]string, same bool) {
	x, y := byRepository(a), byRepository(b)
	for name, value := range x {
		if same || strings.HasSuffix(name, "/tools") || strings.HasSuffix(name, "/pause") {
			g.note(cluster, "digest."+name, value, y[name])
		}
	}
}

// byRepository returns digests, with the tags of images, by the name without
// them.
func byRepository(digests map[string]string) map[string]string {
	images := map[string][]string{}
	for name, digest := range digests {
		repository, tag := name, ""
		if cut := strings.LastIndexByte(name, ':'); cut > strings.LastIndexByte(name, '/') {
			repository, tag = name[:cut], name[cut+1:]+"@"
		}
		images[repository] = append(images[repository], tag+digest)
	}
	joined := map[string]string{}
	for repository, values := range images {
		slices.Sort(values)
		joined[repository] = strings.Join(values, ", ")
	}
	return joined
}

// pluginsOwn begin the names of facts of a node that a plugin makes.
var pluginsOwn = []string{"sysctl.", "link.", "pod-link.", "uplink.programs", "uplink.qdisc"}

// nodes compares the nodes of the load by the part that they play, whatever
// they are called. Results that do not say which they were have the first two.
func (g guard) nodes(name string, a, b result.Variant, same bool) {
	x, y := loadNodes(a), loadNodes(b)
	plugins := func(fact string) bool {
		return !same && slices.ContainsFunc(pluginsOwn, func(kind string) bool {
			return strings.HasPrefix(fact, kind)
		})
	}
	for i, part := range []string{"client node", "server node"} {
		if i >= len(x) || i >= len(y) {
			return
		}
		where := Place{name, part}
		g.facts(where, a.FactsOf(x[i].Name), b.FactsOf(y[i].Name), plugins)
		g.note(where, "kernel.release", x[i].Kernel, y[i].Kernel)
		g.note(where, "uplink.mtu", number(x[i].MTU), number(y[i].MTU))
		if same {
			g.maps(where, "sysctl.", x[i].Sysctls, y[i].Sysctls)
		}
	}
}

func loadNodes(v result.Variant) []result.Node {
	if len(v.LoadNodes) == 0 {
		return v.Nodes
	}
	var list []result.Node
	for _, name := range v.LoadNodes {
		if i := slices.IndexFunc(v.Nodes, func(n result.Node) bool { return n.Name == name }); i >= 0 {
			list = append(list, v.Nodes[i])
		}
	}
	return list
}
