package cost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/document"
)

// Metrics of scenarios that are priced.
const (
	cpuMetric        = "cpu"          // cores
	cpuPerGbitMetric = "cpu-per-gbit" // mCPU/(Gbit/s)
	memoryMetric     = "memory"       // bytes
	cniMemoryMetric  = "cni-memory"   // bytes
	latencyMetric    = "latency-p99"  // s
	usedMemoryMetric = "memory-used"  // bytes, in imported results
	energyMetric     = "energy-per-gbit"
	throughputMetric = "throughput" // bit/s
	rateMetric       = "rate"       // 1/s
)

// CapacityTerm is what a cost per Gbit/s is made from. It is no term of the
// sum, but is chosen like one.
const CapacityTerm = "throughput"

// choosable are the terms whose cell can be chosen.
var choosable = []string{CPUTerm, MemoryTerm, PenaltyTerm, EnergyTerm, CapacityTerm}

// choice is where a quantity comes from and what it is turned into.
type choice struct {
	term, cell, metric string
	unit               string  // of the quantity
	factor             float64 // from the metric's unit, per node
	// own says that the metric is of the plugin alone, so that nothing has to be
	// subtracted.
	own bool
	// rate is the metric that says how much work was done, where it has to be
	// the same.
	rate    string
	how     string
	missing string
}

// chooseAll finds a cell for every term.
func (m *measured) chooseAll() error {
	for name := range m.options.Cells {
		if !slices.Contains(choosable, name) {
			return &OptionError{fmt.Sprintf("there is no cell to choose for %q", name), "--cell takes TERM=CELL: " + document.DidYouMean(name, choosable, "the terms are "+strings.Join(choosable, ", "))}
		}
	}
	for _, t := range []struct {
		into *choice
		name string
		find func(term string) choice
	}{
		{&m.latency, PenaltyTerm, m.findLatency},
		{&m.cpu, CPUTerm, m.findCPU},
		{&m.memory, MemoryTerm, m.findMemory},
		{&m.energy, EnergyTerm, m.findEnergy},
		{&m.capacity, CapacityTerm, m.findCapacity},
	} {
		wanted, given := m.options.Cells[t.name]
		if !given {
			*t.into = t.find(t.name)
			continue
		}
		c, err := m.named(t.name, wanted)
		if err != nil {
			return err
		}
		*t.into = c
	}
	return nil
}

// named is the choice of a user: a cell, or a metric of one.
func (m *measured) named(term, wanted string) (choice, error) {
	var ids []string
	for _, c := range m.a.Cells {
		ids = append(ids, c.ID)
		metrics := defaultMetrics(term)
		if rest, ok := strings.CutPrefix(wanted, c.ID+"/"); ok {
			metrics = []string{rest}
		} else if wanted != c.ID {
			continue
		}
		for _, name := range metrics {
			if has(c, name) {
				return m.take(term, c, name), nil
			}
		}
		var known []string
		for _, x := range c.Metrics {
			known = append(known, x.Name)
		}
		return choice{}, &OptionError{fmt.Sprintf("the cell %s has no %s", c.ID, strings.Join(metrics, " or ")),
			fmt.Sprintf("--cell %s=CELL or --cell %s=CELL/METRIC; the cell's metrics are %s", term, term, strings.Join(known, ", "))}
	}
	return choice{}, &OptionError{fmt.Sprintf("the campaign has no cell %q", wanted),
		"--cell " + term + "=: " + document.DidYouMean(wanted, ids, "the cells are "+strings.Join(ids, ", "))}
}

func defaultMetrics(term string) []string {
	switch term {
	case CPUTerm:
		return []string{cpuPerGbitMetric, cpuMetric}
	case MemoryTerm:
		return []string{memoryMetric, usedMemoryMetric, cniMemoryMetric}
	case PenaltyTerm:
		return []string{latencyMetric}
	case EnergyTerm:
		return []string{energyMetric}
	}
	return []string{throughputMetric}
}

// take makes a choice of a metric; what the metric's unit is decides what it is
// turned into.
func (m *measured) take(term string, cell analysis.Cell, name string) choice {
	metric, _ := findMetric(m.a, cell.ID, name)
	c := choice{term: term, cell: cell.ID, metric: name, factor: 1}
	c.own = strings.HasPrefix(name, "cni-")
	switch term {
	case CPUTerm:
		m.takeCPU(&c, cell, metric)
	case MemoryTerm:
		m.takeMemory(&c, cell, metric)
	case PenaltyTerm:
		c.unit, c.how = seconds, "as it was measured"
		c.expect(metric, "s")
	case EnergyTerm:
		c.unit, c.how = joulesPerGbit, fmt.Sprintf("less that of %s in the same block, at %s Gbit/s from every node", m.baseline, short(m.prices.Workload.Gbit))
		c.expect(metric, "J/Gbit")
	case CapacityTerm:
		c.unit, c.how = "bit/s", "as what one node carries"
		c.expect(metric, "bit/s")
	}
	if c.missing == "" && m.baseline == "" && !c.own && term != PenaltyTerm && term != CapacityTerm {
		c.missing = "an overhead is counted from host-network pods, and the campaign has no variant with them: add host to its variants, or name one with --host"
	}
	if c.missing == "" && m.loose {
		c.how = strings.Replace(c.how, "in the same block", "in the middle of its runs", 1)
	}
	return c
}

func (c *choice) expect(metric analysis.Metric, unit string) {
	if metric.Unit != unit {
		c.missing = fmt.Sprintf("%s is in %q, and %s is made from %s", metric.Name, metric.Unit, c.term, unit)
	}
}

func (m *measured) takeCPU(c *choice, cell analysis.Cell, metric analysis.Metric) {
	less := fmt.Sprintf("less that of %s in the same block", m.baseline)
	if c.own {
		less = "of the plugin's own pods: the datapath in the kernel is not in it"
	}
	machines, of := m.machines(cell, true)
	switch {
	case metric.Unit == "mCPU/(Gbit/s)":
		c.unit, c.factor = coresPerGbit, 1e-3
		c.how = fmt.Sprintf("%s, at %s Gbit/s from every node", less, short(m.prices.Workload.Gbit))
	case metric.Unit != "cores":
		c.missing = fmt.Sprintf("%s is in %q, and CPU is made from cores or mCPU/(Gbit/s)", metric.Name, metric.Unit)
	case has(cell, rateMetric) && m.prices.Workload.Requests > 0:
		c.unit, c.rate = coresPerRequest, rateMetric
		c.how = less + ", for each request, at the volume that the prices say"
	default:
		c.unit, c.factor = coresPerNode, 1/float64(machines)
		c.how = fmt.Sprintf("%s, over %s, at the load of the cell", less, of)
		if has(cell, rateMetric) {
			c.rate = rateMetric
		}
	}
}

func (m *measured) takeMemory(c *choice, cell analysis.Cell, metric analysis.Metric) {
	machines, of := m.machines(cell, false)
	c.unit = gibPerNode
	c.expect(metric, "bytes")
	switch {
	case c.missing != "":
	case c.own:
		c.factor = 1 / float64(1<<30) / float64(machines)
		c.how = fmt.Sprintf("of the plugin's own pods, over %s: what the kernel holds for it is not in it", of)
	default:
		c.factor = 1 / float64(1<<30) / float64(machines)
		c.how = fmt.Sprintf("less that of %s in the same block, over %s", m.baseline, of)
	}
}

// machines is over how many nodes a cell's CPU or memory are, with words for
// it. Load runs on the two ends; where nodes share a kernel the whole machine
// is counted, and with it every node that runs the plugin.
func (m *measured) machines(cell analysis.Cell, load bool) (int, string) {
	lab := m.a.Plan.Cluster.Lab
	idle := !has(cell, rateMetric) && !has(cell, throughputMetric)
	switch {
	case m.options.Machines > 0:
		return m.options.Machines, nodes(m.options.Machines) + ", as --measured-nodes says"
	case m.a.Plan.Imported != nil:
		return 2, "the nodes of client and server, which importers add up"
	case lab != nil && (idle || !load):
		return lab.Nodes, "the " + nodes(lab.Nodes) + " of the lab"
	case cell.Parameters["placement"] == "same-node":
		return 1, "the node with both ends"
	case cell.Parameters["client"] == "external":
		return 1, "the server's node"
	}
	return 2, "the nodes of client and server"
}

func has(c analysis.Cell, metric string) bool {
	return slices.ContainsFunc(c.Metrics, func(m analysis.Metric) bool { return m.Name == metric })
}

// usable says that a metric has values of the baseline, where there is one, or
// of anybody.
func (m *measured) usable(c analysis.Cell, metric string) bool {
	found, ok := findMetric(m.a, c.ID, metric)
	return ok && slices.ContainsFunc(found.Arms, func(arm analysis.Arm) bool {
		return len(arm.Samples) > 0 && (m.baseline == "" || arm.Variant == m.baseline)
	})
}

// first is the first cell that has the metric and what else is asked for.
func (m *measured) first(metric string, with func(analysis.Cell) bool) (analysis.Cell, bool) {
	i := slices.IndexFunc(m.a.Cells, func(c analysis.Cell) bool { return m.usable(c, metric) && with(c) })
	if i < 0 {
		return analysis.Cell{}, false
	}
	return m.a.Cells[i], true
}

func anyCell(analysis.Cell) bool { return true }

func (m *measured) findLatency(term string) choice {
	if c, ok := m.first(latencyMetric, anyCell); ok {
		return m.take(term, c, latencyMetric)
	}
	return choice{term: term, unit: seconds, missing: "no cell has latency-p99: add tcp-rr, udp-rr or http to the campaign"}
}

// findCPU prefers CPU at a rate of requests that all variants answer, which is
// the same work; then CPU per Gbit/s, which is scaled to the same work; then
// what an idle cluster uses.
func (m *measured) findCPU(term string) choice {
	paced := func(c analysis.Cell) bool { return has(c, rateMetric) }
	if c, ok := m.first(cpuMetric, func(c analysis.Cell) bool { return c.ID == m.latency.cell && paced(c) }); ok {
		return m.take(term, c, cpuMetric)
	}
	if c, ok := m.first(cpuMetric, paced); ok {
		return m.take(term, c, cpuMetric)
	}
	if c, ok := m.first(cpuPerGbitMetric, anyCell); ok && m.prices.Workload.Gbit > 0 {
		return m.take(term, c, cpuPerGbitMetric)
	}
	if c, ok := m.first(cpuMetric, func(c analysis.Cell) bool { return !has(c, throughputMetric) }); ok {
		return m.take(term, c, cpuMetric)
	}
	return choice{term: term, unit: coresPerNode, missing: "no cell has CPU at a rate of requests, per Gbit/s or of an idle cluster: add tcp-rr, tcp-pod-single or idle to the campaign"}
}

func (m *measured) findMemory(term string) choice {
	for _, metric := range defaultMetrics(MemoryTerm) {
		if metric != cniMemoryMetric && m.baseline == "" {
			continue // nothing to subtract
		}
		if c, ok := m.first(metric, func(c analysis.Cell) bool { return c.ID == m.cpu.cell }); ok {
			return m.take(term, c, metric)
		}
		if c, ok := m.first(metric, anyCell); ok {
			return m.take(term, c, metric)
		}
	}
	return choice{term: term, unit: gibPerNode, missing: "no cell has the memory of what runs for the cluster"}
}

func (m *measured) findEnergy(term string) choice {
	if c, ok := m.first(energyMetric, anyCell); ok {
		return m.take(term, c, energyMetric)
	}
	return choice{term: term, unit: joulesPerGbit, missing: "no cell has energy-per-gbit: the machine offers no counter of energy, or nothing was carried; wattsPerVCPU in the prices estimates it from the CPU"}
}

func (m *measured) findCapacity(term string) choice {
	if c, ok := m.first(throughputMetric, anyCell); ok {
		return m.take(term, c, throughputMetric)
	}
	return choice{term: term, unit: "bit/s", missing: "no cell has throughput"}
}

// energyFromCPU says that energy was not measured, and is reckoned from the CPU.
func (m *measured) energyFromCPU() bool {
	return m.energy.missing != "" && m.cpu.missing == "" && m.prices.Energy.WattsPerVCPU > 0
}

// inputs are the choices of what is priced, for the reader.
func (m *measured) inputs() []Input {
	var list []Input
	for _, c := range []choice{m.cpu, m.memory, m.latency, m.energy, m.capacity} {
		priced := map[string]bool{
			CPUTerm: m.prices.CPU != nil, MemoryTerm: m.prices.Memory != nil, PenaltyTerm: m.prices.Penalty != nil,
			EnergyTerm: m.prices.Energy != nil, CapacityTerm: true,
		}
		if !priced[c.term] {
			continue
		}
		if c.term == EnergyTerm && m.energyFromCPU() {
			c = m.cpu
			c.how = fmt.Sprintf("%s, at %s W for each vCPU that is busy: no energy was measured", c.how, short(m.prices.Energy.WattsPerVCPU))
			c.term = EnergyTerm
		}
		list = append(list, Input{Term: c.term, Cell: c.cell, Metric: c.metric, How: c.how, Missing: c.missing})
	}
	return list
}

// notes are what limits the costs of a campaign.
func (m *measured) notes() []string {
	var list []string
	if m.loose {
		list = append(list, "the runs are no blocks: overheads are counted from the middle of the baseline's runs, nothing has an interval, and no saving is tested")
	}
	if m.single() {
		list = append(list, "all blocks of a variant are of one installation: how installations of the same differ is in no interval, and memory, in which they do, is in the sums but makes no verdict: each has to hold with it and without it; freshCluster: true makes an installation for every block")
	}
	if m.a.Topology == "lab" || m.a.Plan.Cluster.Lab != nil {
		list = append(list, "measured in a lab on one machine: its cores are priced as vCPUs and its latencies held against the threshold as if they were those of the cluster that is priced")
	}
	for _, c := range []choice{m.cpu, m.memory, m.latency, m.energy, m.capacity} {
		if c.missing == "" {
			list = append(list, m.provisos(c)...)
		}
	}
	if c := m.cpu; c.missing == "" && c.unit == coresPerNode && c.rate == "" && m.throughput(c.cell) {
		list = append(list, fmt.Sprintf("CPU is what %s keeps busy, whatever it carries: a variant that carries more in the same time costs more here", c.cell))
	}
	if m.prices.Penalty != nil && m.latency.missing == "" && m.cpu.missing == "" && m.cpu.cell != m.latency.cell {
		list = append(list, fmt.Sprintf("CPU is that of %s and latency that of %s: two loads", m.cpu.cell, m.latency.cell))
	}
	return list
}

// throughput says that a cell is one of bulk load.
func (m *measured) throughput(cell string) bool {
	_, ok := findMetric(m.a, cell, throughputMetric)
	return ok
}

// provisos are the qualities of the samples behind a choice.
func (m *measured) provisos(c choice) []string {
	found, _ := findMetric(m.a, c.cell, c.metric)
	marks, samples := map[string]int{}, 0
	var partial []string
	for _, arm := range found.Arms {
		for _, s := range arm.Samples {
			samples++
			for _, mark := range slices.Compact(slices.Sorted(slices.Values(s.Marks))) {
				marks[mark]++
			}
		}
		for _, p := range arm.Partial {
			if !slices.Contains(partial, p) {
				partial = append(partial, p)
			}
		}
	}
	var list []string
	for _, mark := range []string{"cpu-saturated", "generator-limited"} {
		if n := marks[mark]; n > 0 && (mark == "generator-limited" || c.unit == coresPerNode || c.unit == coresPerRequest) {
			list = append(list, fmt.Sprintf("%s: %d of %d samples of %s/%s are marked %s", c.term, n, samples, c.cell, c.metric, mark))
		}
	}
	for _, p := range partial {
		list = append(list, fmt.Sprintf("%s: %s/%s is partial: %s", c.term, c.cell, c.metric, p))
	}
	return list
}
