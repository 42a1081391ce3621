package claims

import "strings"

const (
	// ethernetOverhead is what a frame costs on the wire beyond its IP packet:
	// preamble 8, header 14, checksum 4, gap 12 (IEEE 802.3).
	ethernetOverhead = 38
	headersTCP       = 20 + 20 // IPv4 and TCP without options
	// lineTolerance covers how exactly rates of links are said.
	lineTolerance = 0.01
)

// goodput is the most TCP payload per second that a line of the given rate
// takes in one direction. Where the MTU is not known it is the rate itself,
// which no MTU exceeds.
func goodput(rate float64, mtu, encapsulation int) float64 {
	if mtu == 0 {
		return rate
	}
	return rate * float64(mtu-encapsulation-headersTCP) / float64(mtu+ethernetOverhead)
}

// lineRate finds throughput between nodes above what their network cards carry.
func (x *linter) lineRate(c Claim) {
	if c.Unit.Base != "bit/s" || c.Number == nil || c.Setup.NICRate == 0 || c.Setup.Placement != "cross-node" {
		return
	}
	directions := max(1, c.Setup.Directions)
	for _, m := range c.Measures {
		if !strings.HasPrefix(m.Metric, "throughput") {
			return
		}
		if m.Parameters["direction"] == "bidir" {
			directions = 2
		}
	}
	most := float64(directions) * goodput(c.Setup.NICRate, c.Setup.MTU, c.Setup.Encapsulation)
	number := c.Number.scaled(c.Unit.Factor)
	if number.Low-number.Half <= most*(1+lineTolerance) {
		return
	}
	conditions := "whatever the MTU is"
	if c.Setup.MTU > 0 {
		conditions = "at an MTU of " + plain(float64(c.Setup.MTU))
	}
	if c.Setup.Encapsulation > 0 {
		conditions += ", less " + plain(float64(c.Setup.Encapsulation)) + " bytes of encapsulation per packet"
	}
	both := ""
	if directions == 2 {
		both = " in both directions together"
	}
	x.find(c, Implausible, "line-rate", "%s between nodes: a link of %s carries at most %s of TCP payload%s, %s",
		c.amount(), inUnit(c.Setup.NICRate, "bit/s"), inUnit(most, "bit/s"), both, conditions)
}
