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
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch {
	case s.Hardware == "":
		add("the source does not say on what hardware")
	case s.Hardware == "any":
	case c.topology == "lab":
		add("these results are from a lab, whose nodes share one kernel and have no network card; the source has %s", s.Hardware)
	case s.CPU != "" && !strings.Contains(c.cpu, s.CPU):
		add("the source has %s, these results %s", s.CPU, orUnknown(c.cpu))
	case s.Instance != "" && s.Instance != c.instance:
		add("the source has %s, these results %s", s.Instance, orUnknown(c.instance))
	case s.CPU == "" && s.Instance == "":
		add("nothing says that these results are from %s", s.Hardware)
	}
	if s.NICRate > 0 && s.NICRate != c.nicRate && (c.topology != "lab" || s.Hardware == "any") {
		rate := "cards of an unknown rate"
		if c.nicRate > 0 {
			rate = inUnit(c.nicRate, "bit/s")
		}
		add("the source has network cards of %s, these results %s", inUnit(s.NICRate, "bit/s"), rate)
	}
	if s.MTU > 0 && s.MTU != c.mtu {
		mtu := "an unknown MTU"
		if c.mtu > 0 {
			mtu = "one of " + strconv.Itoa(c.mtu)
		}
		add("the source has an MTU of %d, these results %s", s.MTU, mtu)
	}
	if want := s.Version(variant); want != "" && !sameVersion(want, c.version) {
		add("the source has %s %s, these results %s", variant, want, orUnknown(c.version))
	}
	if c.values {
		add("%s has values of your own", c.name)
	}
	return list
}

func orUnknown(s string) string {
	if s == "" {
		return "something that is not known"
	}
	return s
}

// sameVersion tells whether got is the version want or, where want has fewer
// numbers, one of them.
func sameVersion(want, got string) bool {
	want, got = strings.TrimPrefix(want, "v"), strings.TrimPrefix(got, "v")
	return got == want || strings.HasPrefix(got, want+".")
}
