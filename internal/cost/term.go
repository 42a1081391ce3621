package cost

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cnibench/cnibench/internal/prose"
)

// Terms of the sum, in its order.
const (
	NodesTerm      = "nodes"
	CPUTerm        = "CPU"
	MemoryTerm     = "memory"
	PenaltyTerm    = "penalty"
	OperationsTerm = "operations"
	EnergyTerm     = "energy"
)

// term prices one quantity of one variant.
type term struct {
	name     string
	quantity quantity
	// fixed says that the term is the same in every block and for every
	// variant: nothing of it was measured.
	fixed bool
	line  func(q float64) Line
	// matters is the line of the quantity's margin; nil: it is line(margin).
	matters func(margin float64) Line
	// carbon is the line in kg of CO₂, nil where nobody said how much.
	carbon func(q float64) Line
	// expression writes the product with a quantity in it.
	expression func(q float64) string
}

// terms are the parts of the sum for one variant, those that have a price.
func (p Prices) terms(u usage) []term {
	list := []term{p.nodesTerm(u)}
	if p.CPU != nil {
		list = append(list, p.cpuTerm(u))
	}
	if p.Memory != nil {
		list = append(list, p.memoryTerm(u))
	}
	if p.Penalty != nil {
		list = append(list, p.penaltyTerm(u))
	}
	if p.Operations != nil {
		list = append(list, p.operationsTerm(u))
	}
	if p.Energy != nil {
		list = append(list, p.energyTerm(u))
	}
	return list
}

func (p Prices) nodesTerm(u usage) term {
	price := p.Node().Price
	return term{
		name: NodesTerm, fixed: true,
		line:       func(float64) Line { return Line{PerNode: price} },
		expression: func(float64) string { return fmt.Sprintf("%s × %s", nodes(u.nodes), p.per(price, "node")) },
	}
}

func (p Prices) operationsTerm(u usage) term {
	price, share := p.Node().Price, p.Operations.Share
	return term{
		name: OperationsTerm, fixed: true,
		line: func(float64) Line { return Line{PerNode: share * price} },
		expression: func(float64) string {
			return fmt.Sprintf("%s %% of %s × %s", short(100*share), nodes(u.nodes), p.per(price, "node"))
		},
	}
}

// cores is the CPU overhead in cores that are busy all the time, as a line
// like one of money; ok is false where a workload is missing that it needs.
func (p Prices) cores(unit string) (line func(q float64) Line, ok bool) {
	switch unit {
	case coresPerNode:
		return func(q float64) Line { return Line{PerNode: q} }, true
	case percentOfNode:
		vcpus := p.Node().VCPUs
		return func(q float64) Line { return Line{PerNode: q / 100 * vcpus} }, true
	case coresPerGbit:
		gbit := p.Workload.Gbit
		return func(q float64) Line { return Line{PerNode: q * gbit} }, gbit > 0
	case coresPerRequest:
		return func(q float64) Line { return Line{PerRequest: q / secondsPerMonth} }, p.Workload.Requests > 0
	}
	return nil, false
}

// load writes what a CPU overhead in the unit is multiplied with.
func (p Prices) load(u usage, q float64) string {
	switch u.cpu.unit {
	case percentOfNode:
		return fmt.Sprintf("%s × %s %% × %s vCPU/node", nodes(u.nodes), short(q), short(p.Node().VCPUs))
	case coresPerGbit:
		return fmt.Sprintf("%s × %s %s × %s Gbit/s", nodes(u.nodes), short(q), coresPerGbit, short(p.Workload.Gbit))
	case coresPerRequest:
		return fmt.Sprintf("%s requests/month × %s %s ÷ %s s/month", prose.Grouped(short(p.Workload.Requests)), short(q), coresPerRequest, prose.Grouped(short(secondsPerMonth)))
	}
	return fmt.Sprintf("%s × %s %s", nodes(u.nodes), short(q), coresPerNode)
}

func (p Prices) cpuTerm(u usage) term {
	price := p.CPU.Price
	t := term{
		name: CPUTerm, quantity: u.cpu,
		expression: func(q float64) string { return p.load(u, q) + " × " + p.per(price, "vCPU") },
	}
	cores, ok := p.cores(u.cpu.unit)
	if !ok && t.quantity.missing == "" {
		t.quantity.missing = "the overhead is known per work, and the prices have no such workload"
	}
	t.line = func(q float64) Line { return cores(q).times(price) }
	return t
}

func (p Prices) memoryTerm(u usage) term {
	price := p.Memory.Price
	return term{
		name: MemoryTerm, quantity: u.memory,
		line: func(q float64) Line { return Line{PerNode: q * price} },
		expression: func(q float64) string {
			return fmt.Sprintf("%s × %s %s × %s", nodes(u.nodes), short(q), gibPerNode, p.per(price, "GiB"))
		},
	}
}

func (p Prices) penaltyTerm(u usage) term {
	s := *p.Penalty
	t := term{name: PenaltyTerm, quantity: u.latency}
	amount := func(q float64) float64 { return max(0, q-s.Threshold) * 1e3 * s.Price }
	of := func(q float64) string {
		return fmt.Sprintf("max(0, %s ms − %s ms) × %s %s/ms", short(q*1e3), short(s.Threshold*1e3), priceText(s.Price), p.Currency)
	}
	t.matters = func(margin float64) Line {
		if exceeded := slices.ContainsFunc(u.latency.values, func(p point) bool { return p.value > s.Threshold }); !exceeded {
			return Line{}
		}
		return t.line(s.Threshold + margin)
	}
	switch s.Per {
	case NodeMonth:
		t.line = func(q float64) Line { return Line{PerNode: amount(q)} }
		t.expression = func(q float64) string { return nodes(u.nodes) + " × " + of(q) }
	case MillionRequests:
		t.line = func(q float64) Line { return Line{PerRequest: amount(q) / 1e6} }
		t.expression = func(q float64) string {
			return fmt.Sprintf("%s million requests × %s", prose.Grouped(short(p.Workload.Requests/1e6)), of(q))
		}
		if p.Workload.Requests == 0 && t.quantity.missing == "" {
			t.quantity.missing = "the penalty is per million requests, and nobody said how many there are a month"
		}
	default:
		t.line = func(q float64) Line { return Line{Fixed: amount(q)} }
		t.expression = of
	}
	return t
}

// energyTerm prices what was measured, or else what the CPU overhead is
// reckoned to take.
func (p Prices) energyTerm(u usage) term {
	e, t := *p.Energy, term{name: EnergyTerm, quantity: u.energy}
	watts := func(q float64) Line { return Line{PerNode: q * p.Workload.Gbit} }
	of := func(q float64) string {
		return fmt.Sprintf("%s × %s %s × %s Gbit/s", nodes(u.nodes), short(q), joulesPerGbit, short(p.Workload.Gbit))
	}
	switch {
	case len(u.energy.values) > 0 && p.Workload.Gbit > 0:
	case e.WattsPerVCPU > 0 && u.cpu.missing == "":
		t.quantity = u.cpu
		cores, ok := p.cores(u.cpu.unit)
		if !ok {
			t.quantity.missing = "the CPU overhead is known per work, and the prices have no such workload"
			break
		}
		watts = func(q float64) Line { return cores(q).times(e.WattsPerVCPU) }
		of = func(q float64) string { return fmt.Sprintf("%s × %s W/vCPU", p.load(u, q), short(e.WattsPerVCPU)) }
	case t.quantity.missing == "":
		t.quantity.missing = "the energy is known per Gbit, and the prices have no workload in Gbit/s"
	}
	const kilowattHours = HoursPerMonth / 1e3
	t.line = func(q float64) Line { return watts(q).times(kilowattHours * e.Price) }
	if e.GramsCO2 > 0 {
		t.carbon = func(q float64) Line { return watts(q).times(kilowattHours * e.GramsCO2 / 1e3) }
	}
	t.expression = func(q float64) string {
		return fmt.Sprintf("%s × %d h/month ÷ 1000 × %s %s/kWh", of(q), HoursPerMonth, priceText(e.Price), p.Currency)
	}
	return t
}

func (p Prices) per(amount float64, of string) string {
	return fmt.Sprintf("%s %s/(%s·month)", priceText(amount), p.Currency, of)
}

func nodes(n int) string { return prose.Plural(n, "node") }

// short writes a number with up to six significant digits, without an exponent
// where people would not write one.
func short(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e15) {
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	digits := 6
	if x != 0 {
		digits = max(0, 5-int(math.Floor(math.Log10(math.Abs(x)))))
	}
	return trimmed(prose.Fixed(x, digits))
}
