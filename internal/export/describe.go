package export

import (
	"maps"
	"slices"
	"strconv"
)

// describe writes what was measured where, as series whose value is 1 and
// whose labels are the facts.
func (x *exporter) describe() {
	s, p := x.source, x.source.Analysis.Plan
	m := s.Environment.Machine
	x.family("cnibench_campaign_info", "", "What was run and on what; always 1.")
	info := with(x.campaign, "hash", p.Hash, "base", p.Analysis.Base, "version", s.Environment.Cnibench,
		"topology", s.Environment.Topology, "kernel", m.Kernel, "os", m.OS, "cpu", m.CPU)
	if m.Cores > 0 {
		info["cores"] = strconv.Itoa(m.Cores)
	}
	x.state(info, 1)

	x.family("cnibench_variant_info", "", "What a variant is; always 1.")
	for _, v := range s.Analysis.Variants {
		if x.only.variant(v.Name) {
			x.state(with(x.campaign, "variant", v.Name, "entry", v.Entry, "plugin", v.Plugin, "version", v.Version), 1)
		}
	}

	x.family("cnibench_cell_parameter_info", "", "One parameter of a cell and its value as text; always 1.")
	for _, c := range p.Cells {
		if !x.only.cell(c.ID) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
			x.state(with(x.campaign, "cell", c.ID, "scenario", c.Scenario, "parameter", name, "value", c.Parameters[name]), 1)
		}
	}

	x.family("cnibench_warning_info", "", "What a reader of the results should know, by a stable code; always 1.")
	for i, w := range s.Analysis.Warnings {
		x.state(with(x.campaign, "number", strconv.Itoa(i+1), "code", w.Code, "message", w.Message, "hint", w.Hint), 1)
	}
}
