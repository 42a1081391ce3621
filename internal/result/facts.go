package result

import (
	"maps"
	"slices"
	"strings"
)

// Facts are what is known of a machine or of a network namespace, as text by
// name, from the general to the particular: cpu.governor, uplink.offload.rx-gro.
// They have no times, counters or random names, so that two sets of them can be
// compared. A name is in at most one of the maps.
type Facts struct {
	Values  map[string]string `json:"values"`
	Missing map[string]string `json:"missing,omitempty"` // why it is not known
}

// Kernel is what holds for every node that runs on one kernel. Where nodes share
// one it is the machine's, and is said once.
type Kernel struct {
	Nodes []string `json:"nodes"`
	Facts
}

// Hop is a link that packets between the load pods pass, or what holds for the
// whole way, with what it carries at most.
type Hop struct {
	Place string `json:"place"`          // "client pod", "client node", "route", "path" …
	Link  string `json:"link,omitempty"` // what it is or is called there
	MTU   int    `json:"mtu"`            // bytes of an IP packet
}

// FactDifference is a fact that is not the same in two places. A and B say
// "unknown: …" where it could not be read.
type FactDifference struct{ Name, A, B string }

// Unread is the name under which [Facts.Missing] says why a machine could not
// be asked at all.
const Unread = "everything"

// CompareFacts compares facts one by one, in the order of their names. What says
// which thing it is rather than of what kind, such as the place of a card on
// its bus, is left out, and so is what is known of neither, or of one only
// because the other could not be asked.
func CompareFacts(a, b Facts) []FactDifference {
	names := map[string]bool{}
	for _, values := range []map[string]string{a.Values, b.Values} {
		for name := range values {
			names[name] = true
		}
	}
	var list []FactDifference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if identifies(name) || !a.asked(name) || !b.asked(name) {
			continue
		}
		if x, y := a.say(name), b.say(name); x != y {
			list = append(list, FactDifference{name, x, y})
		}
	}
	return list
}

// asked tells whether a fact is known, or would be if it were there.
func (f Facts) asked(name string) bool {
	_, unread := f.Missing[Unread]
	_, known := f.Values[name]
	return known || !unread
}

// say returns a fact, or why there is none: for the fact itself, or for the
// family that it belongs to.
func (f Facts) say(name string) string {
	if value, known := f.Values[name]; known {
		return value
	}
	for family := name; ; {
		if why, missing := f.Missing[family]; missing {
			return "unknown: " + why
		}
		dot := strings.LastIndexByte(family, '.')
		if dot < 0 {
			return "none"
		}
		family = family[:dot]
	}
}

// What differs between any two machines: identities end the names of such
// facts, surroundings begin those of what is next to a node and is not the node.
var (
	identities   = []string{".bus", ".rss.key.sha256", ".provider-id", ".name"}
	surroundings = []string{"foreign", "placement.network-", "placement.block", "placement.subblock", "placement.host", "placement.rack"}
)

func identifies(name string) bool {
	return slices.ContainsFunc(surroundings, func(begin string) bool { return strings.HasPrefix(name, begin) }) ||
		slices.ContainsFunc(identities, func(end string) bool { return strings.HasSuffix(name, end) })
}

// NodeDifferences compares the two nodes that carry load, their kernels
// included. There are none where both ends are on one node.
func (v Variant) NodeDifferences() []FactDifference {
	if len(v.LoadNodes) < 2 {
		return nil
	}
	return CompareFacts(v.FactsOf(v.LoadNodes[0]), v.FactsOf(v.LoadNodes[1]))
}

// FactsOf returns everything that is known of a node, its kernel included.
func (v Variant) FactsOf(node string) Facts {
	all := Facts{map[string]string{}, map[string]string{}}
	add := func(f Facts) {
		maps.Copy(all.Values, f.Values)
		maps.Copy(all.Missing, f.Missing)
	}
	for _, k := range v.Kernels {
		if slices.Contains(k.Nodes, node) {
			add(k.Facts)
		}
	}
	for _, n := range v.Nodes {
		if n.Name == node {
			add(n.Facts)
		}
	}
	return all
}
