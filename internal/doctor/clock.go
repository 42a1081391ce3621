package doctor

import (
	"fmt"
	"time"
)

// Clocks of client and server place the two ends' windows on each other.
const (
	skewWarning = 100 * time.Millisecond
	skewUnfit   = time.Second
	mostError   = 100 * time.Millisecond // that the kernel may claim of its clock
)

var clockChecks = []Check{
	{
		ID: "time.sync", Title: "clocks are synchronised", Worst: Warning, Kinds: everywhere, judge: eachNode(synchronised),
		Why: "samples of two nodes are laid on each other by their clocks, and a step in the middle of a trial makes its block invalid",
	},
	{
		ID: "time.skew", Title: "nodes agree on the time", Worst: Unfit, Kinds: clusters, judge: skew,
		Why: "windows of client and server are intersected by wall clock: with a skew they cover different seconds",
	},
}

func synchronised(_ Snapshot, n Node) Finding {
	if why := n.vital("clock"); why != "" {
		return unknown("", why)
	}
	c := n.Vitals.Clock
	switch {
	case c == nil:
		return unknown("", "the node does not tell")
	case !c.Synchronized:
		return found(Warning, "", "the kernel says that nobody disciplines its clock", "on the node: timedatectl set-ntp true (or install chrony)")
	case c.MaxError > mostError:
		return found(Warning, "", fmt.Sprintf("the clock may be off by %s", c.MaxError.Round(time.Millisecond)), "on the node: chronyc tracking, and use a nearer time server")
	}
	return ok("", "synchronised, off by %s at most", c.MaxError.Round(time.Microsecond))
}

// skew compares each node with the first one. Each is known within an interval
// only; what is certain is the least distance of two intervals.
func skew(s Snapshot) []Finding {
	nodes := s.looked()
	if len(nodes) < 2 {
		return []Finding{unknown("", "there are no two nodes to compare")}
	}
	var findings []Finding
	a := nodes[0]
	for _, b := range nodes[1:] {
		where := a.Name + " and " + b.Name
		if same := a.Vitals != nil && b.Vitals != nil && a.Vitals.BootID != "" && a.Vitals.BootID == b.Vitals.BootID; same {
			findings = append(findings, ok(where, "they share one kernel and its clock"))
			continue
		}
		if a.Skew == nil || b.Skew == nil {
			findings = append(findings, unknown(where, firstReason(a.vital(""), b.vital(""), "the nodes were not asked")))
			continue
		}
		f := skewOf(*a.Skew, *b.Skew, b.Name)
		f.Where = where
		findings = append(findings, f)
	}
	return findings
}

func skewOf(a, b Skew, name string) Finding {
	least := max(a.Low-b.High, b.Low-a.High, 0)
	most := max(a.High-b.Low, b.High-a.Low, least)
	fix := "on " + name + " and the other: chronyc makestep, with the same time server"
	between := fmt.Sprintf("%s to %s apart", least.Round(time.Millisecond), most.Round(time.Millisecond))
	switch {
	case least >= skewUnfit:
		return found(Unfit, "", between, fix)
	case least >= skewWarning:
		return found(Warning, "", between, fix)
	case most >= skewUnfit:
		return unknown("", between+": the answers took too long to tell")
	}
	return ok("", "at most %s apart", most.Round(time.Millisecond))
}
