package claims

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// conditions are what is known of how a variant of the results was measured.
// What is not known is zero.
type conditions struct {
	topology string
	nicRate  float64 // bit/s
	mtu      int
	cpu      string
	instance string
	version  string
	values   bool // of the user's own
	name     string
}

var speedSyntax = regexp.MustCompile(`^([0-9]+) Mbit/s$`)

// conditionsOf reads them from the nodes that carried load.
func conditionsOf(v analysis.Variant, topology string, env result.Environment) conditions {
	c := conditions{topology: topology, version: v.Version, values: v.Values != "", name: v.Name}
	ran, ok := env.Variants[v.Name]
	if !ok {
		return c
	}
	nodes := ran.LoadNodes
	if len(nodes) == 0 {
		for _, n := range ran.Nodes {
			nodes = append(nodes, n.Name)
		}
	}
	for i, name := range nodes {
		facts := ran.FactsOf(name).Values
		if m := speedSyntax.FindStringSubmatch(facts["uplink.speed"]); m != nil {
			x, _ := strconv.ParseFloat(m[1], 64) // the syntax is that of a number
			if c.nicRate == 0 || x*1e6 < c.nicRate {
				c.nicRate = x * 1e6
			}
		}
		if i == 0 {
			c.cpu, c.instance = facts["cpu.model"], facts["placement.instance-type"]
		}
	}
	for _, n := range ran.Nodes {
		if slices.Contains(nodes, n.Name) && n.MTU > 0 && (c.mtu == 0 || n.MTU < c.mtu) {
			c.mtu = n.MTU
		}
	}
	return c
}

// differ lists what keeps an amount of the source from being compared with one
// of the results. variant is the claim's.
func (c conditions) differ(s Setup, variant string) []string {
	var list, unknown []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	// compare says what of two is not the same, and notes what is not known.
	compare := func(said, same, known bool, what, source, here string) {
		switch {
		case !said || same:
		case !known:
			unknown = append(unknown, what)
		default:
			add("the source has %s, these results %s", source, here)
		}
	}
	lab := c.topology == "lab"
	switch {
	case s.Hardware == "":
		add("the source does not say on what hardware")
	case s.Hardware == "any":
	case lab:
		add("these results are from a lab, whose nodes share one kernel and have no network card; the source has %s", s.Hardware)
	case s.CPU == "" && s.Instance == "":
		add("nothing says that these results are from %s", s.Hardware)
	default:
		compare(s.CPU != "", strings.Contains(c.cpu, s.CPU), c.cpu != "", "processor", s.CPU, c.cpu)
		compare(s.Instance != "", s.Instance == c.instance, c.instance != "", "type of instance", s.Instance, c.instance)
	}
	if !lab || s.Hardware == "any" {
		compare(s.NICRate > 0, s.NICRate == c.nicRate, c.nicRate > 0, "rate of the network cards",
			"network cards of "+inUnit(s.NICRate, "bit/s"), inUnit(c.nicRate, "bit/s"))
	}
	compare(s.MTU > 0, s.MTU == c.mtu, c.mtu > 0, "MTU", fmt.Sprintf("an MTU of %d", s.MTU), fmt.Sprintf("one of %d", c.mtu))
	version := s.Version(variant)
	compare(version != "", sameVersion(version, c.version), c.version != "", "version", variant+" "+version, c.version)
	if len(unknown) > 0 {
		add("these results do not say their %s", strings.Join(unknown, ", "))
	}
	if c.values {
		add("%s has values of your own", c.name)
	}
	return list
}

// sameVersion tells whether got is the version want or, where want has fewer
// numbers, one of them.
func sameVersion(want, got string) bool {
	want, got = strings.TrimPrefix(want, "v"), strings.TrimPrefix(got, "v")
	return got == want || strings.HasPrefix(got, want+".")
}
