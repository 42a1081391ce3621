package sample

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// between are the faults that two neighbouring samples show.
func between(before, after *Sample, interval time.Duration) []Fault {
	p := pair{before: before, after: after}
	if gap := after.Mono - before.Mono; gap > 2*interval {
		p.fault(FaultGap, "", fmt.Sprintf("no sample for %v, where one was due every %v", gap.Round(time.Millisecond), interval))
	}
	// Slewing moves a clock by at most 0.05 % (adjtimex(2)); more is a step.
	step := after.At.Sub(before.At) - (after.Mono - before.Mono)
	if slewed := (after.Mono - before.Mono) / 2000; step.Abs() > max(10*time.Millisecond, slewed) {
		p.fault(FaultClock, "", fmt.Sprintf("the clock was set by %v", step.Round(time.Microsecond)))
	}
	if !sameCores(before.Cores, after.Cores) {
		p.fault(FaultCPU, "busiestCore", fmt.Sprintf("CPUs on line were %v, then %v", ids(before.Cores), ids(after.Cores)))
	}
	p.cpu()
	p.maps()
	slices.SortStableFunc(p.faults, func(a, b Fault) int { return cmp.Compare(a.Figure, b.Figure) }) // maps have no order
	return p.faults
}

// pair compares two samples.
type pair struct {
	before, after *Sample
	faults        []Fault
}

func (p *pair) fault(kind, figure, detail string) {
	p.faults = append(p.faults, Fault{Since: p.before.At, At: p.after.At, Kind: kind, Figure: figure, Detail: detail})
}

func (p *pair) reset(figure string, before, after float64) {
	if after < before {
		p.fault(FaultReset, figure, fmt.Sprintf("a counter fell from %.15g to %.15g", before, after))
	}
}

func (p *pair) cpu() {
	b, a := p.before, p.after
	p.reset("busyCores", b.CPU.Busy(), a.CPU.Busy())
	p.reset("contextSwitches", float64(b.ContextSwitches), float64(a.ContextSwitches))
	for _, core := range a.Cores {
		i := slices.IndexFunc(b.Cores, func(c Core) bool { return c.ID == core.ID })
		if i >= 0 {
			p.reset("busiestCore", b.Cores[i].Busy(), core.Busy())
		}
	}
	if a.Softnet != nil && b.Softnet != nil {
		p.reset("softnet", float64(b.Softnet.Processed), float64(a.Softnet.Processed))
	}
	if a.Hardware != nil && b.Hardware != nil {
		p.reset("hardware", float64(b.Hardware.Cycles), float64(a.Hardware.Cycles))
	}
	if a.Throttles != nil && b.Throttles != nil {
		p.reset("throttles", float64(b.Throttles.Core), float64(a.Throttles.Core))
	}
}

func (p *pair) maps() {
	b, a := p.before, p.after
	resets(p, "softirqs", b.SoftIRQs, a.SoftIRQs, func(n uint64) float64 { return float64(n) })
	resets(p, "interfaces", b.Interfaces, a.Interfaces, func(t Traffic) float64 { return float64(t.RxPackets + t.TxPackets) })
	resets(p, "disks", b.Disks, a.Disks, func(d Disk) float64 { return float64(d.Reads + d.Writes) })
	resets(p, "powerWatts", b.Energy, a.Energy, func(joules float64) float64 { return joules })
	if a.Protocols != nil && b.Protocols != nil {
		count := func(n uint64) float64 { return float64(n) }
		resets(p, "protocols/tcp", b.Protocols.TCP, a.Protocols.TCP, count)
		resets(p, "protocols/tcpExt", b.Protocols.TCPExt, a.Protocols.TCPExt, count)
		resets(p, "protocols/udp", b.Protocols.UDP, a.Protocols.UDP, count)
		resets(p, "protocols/udp6", b.Protocols.UDP6, a.Protocols.UDP6, count)
	}
	if a.Conntrack != nil && b.Conntrack != nil {
		resets(p, "conntrack/events", b.Conntrack.Events, a.Conntrack.Events, func(n uint64) float64 { return float64(n) })
	}
}

// resets compares what two samples both have.
func resets[V any](p *pair, figure string, before, after map[string]V, count func(V) float64) {
	for key, b := range before {
		if a, ok := after[key]; ok {
			p.reset(figure+"/"+key, count(b), count(a))
		}
	}
}

func ids(cores []Core) []int {
	all := make([]int, len(cores))
	for i, c := range cores {
		all[i] = c.ID
	}
	return all
}
