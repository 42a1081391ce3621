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

// CompareFacts compares facts one by one, in the order of their names. What says
// which thing it is rather than of what kind, such as the place of a card on
// its bus, is left out, and so is what is known of neither.
func CompareFacts(a, b Facts) []FactDifference {
	names := map[string]bool{}
	for _, values := range []map[string]string{a.Values, b.Values} {
		for name := range values {
			names[name] = true
		}
	}
	var list []FactDifference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if identifies(name) {
			continue
		}
		if x, y := a.say(name), b.say(name); x != y {
			list = append(list, FactDifference{name, x, y})
		}
	}
	return list
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

// identities end the names of facts that differ between any two machines, and
// begin those of what is next to a node and not the node.
var identities = []string{".bus", ".rss.key.sha256", ".provider-id", ".name"}

func identifies(name string) bool {
	return strings.HasPrefix(name, "foreign") || strings.HasPrefix(name, "placement.host") ||
		slices.ContainsFunc(identities, func(end string) bool { return strings.HasSuffix(name, end) })
}
