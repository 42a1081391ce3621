package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Check is one question, and why it is asked.
type Check struct {
	ID    string // "mtu.path"
	Title string // what is looked at
	Why   string // it matters
	Worst Severity
	Kinds []Kind // of places where it has a meaning
	// OnlyDeep checks load the network for a minute.
	OnlyDeep bool

	judge func(Snapshot) []Finding
}

// Where a check has a meaning.
var (
	everywhere = []Kind{Cluster, Lab, Machine}
	clusters   = []Kind{Cluster, Lab}
	onCluster  = []Kind{Cluster}
	onMachine  = []Kind{Machine}
)

// Checks lists all of them in the order of the documentation.
func Checks() []Check {
	return slices.Concat(specificationChecks, nodeChecks, cpuChecks, clockChecks, networkChecks, pluginChecks, clusterChecks)
}

func ok(where, format string, args ...any) Finding {
	return Finding{Severity: OK, Where: where, Evidence: fmt.Sprintf(format, args...)}
}

func unknown(where, reason string) Finding {
	if reason == "" {
		reason = "nobody looked"
	}
	return Finding{Severity: Unknown, Where: where, Evidence: reason}
}

// found is a finding that is neither fine nor unknown.
func found(s Severity, where, evidence, fix string) Finding {
	return Finding{Severity: s, Where: where, Evidence: evidence, Fix: fix}
}

// looked lists the nodes that facts are wanted of: those that carry load, or
// the machine.
func (s Snapshot) looked() []Node {
	var nodes []Node
	for _, n := range s.Nodes {
		if n.Load || s.Kind == Machine {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// eachNode judges every node that carries load.
func eachNode(judge func(Snapshot, Node) Finding) func(Snapshot) []Finding {
	return func(s Snapshot) []Finding {
		nodes := s.looked()
		if len(nodes) == 0 {
			return []Finding{unknown("", "no node that carries load is known")}
		}
		var findings []Finding
		for _, n := range nodes {
			f := judge(s, n)
			f.Where = n.Name
			findings = append(findings, f)
		}
		return findings
	}
}

// oneFinding adapts a check that looks at the whole.
func oneFinding(judge func(Snapshot) Finding) func(Snapshot) []Finding {
	return func(s Snapshot) []Finding { return []Finding{judge(s)} }
}

// fact returns a fact of a node, or why it is not known.
func (n Node) fact(name string) (value, missing string) {
	if v, has := n.Facts.Values[name]; has {
		return v, ""
	}
	// A family is missing as a whole: of uplink.ring.rx the reason is uplink.ring's.
	for at := name; at != ""; at = at[:max(0, strings.LastIndex(at, "."))] {
		if why, has := n.Facts.Missing[at]; has {
			return "", why
		}
	}
	if why := n.Missing[PartFacts]; why != "" {
		return "", why
	}
	return "", "the node does not tell " + name
}

// vital tells why a part of a node's vitals is not known; empty: it is.
func (n Node) vital(part string) (missing string) {
	if n.Vitals == nil {
		if why := n.Missing[PartVitals]; why != "" {
			return why
		}
		return "nobody looked"
	}
	return n.Vitals.Missing[part]
}

// leadingInt reads the number that a fact begins with: "10000 Mbit/s".
func leadingInt(text string) (int64, bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	n, err := strconv.ParseInt(word, 10, 64)
	return n, err == nil
}

// some joins the first few of many.
func some(all []string) string {
	const shown = 5
	if len(all) <= shown {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:shown], ", "), len(all)-shown)
}
