package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// fact is a name with its value.
type fact struct{ Name, Value string }

// factGroup is a titled list of facts.
type factGroup struct {
	Title   string
	Code    bool // asks for a fixed-width font
	Fold    bool // is shown on demand only
	Differs bool // is what a reader should see
	Facts   []fact
}

// factsOf lists a map by name.
func factsOf(m map[string]string) []fact {
	var list []fact
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fact{name, m[name]})
	}
	return list
}

// machineGroups describes the machine.
func machineGroups(env result.Environment) []factGroup {
	m := env.Machine
	facts := []fact{{"topology", env.Topology}, {"kernel", m.Kernel}, {"operating system", m.OS}, {"CPU", m.CPU}}
	if m.Cores > 0 {
		facts = append(facts, fact{"cores", fmt.Sprint(m.Cores)})
	}
	if m.MemoryBytes > 0 {
		facts = append(facts, fact{"memory", fmt.Sprintf("%.1f GiB", float64(m.MemoryBytes)/(1<<30))})
	}
	if m.CgroupVersion > 0 {
		facts = append(facts, fact{"cgroup version", fmt.Sprint(m.CgroupVersion)})
	}
	facts = append(facts, fact{"irq time accounting", m.IRQTime}, fact{"cnibench", env.Cnibench})
	if !env.Created.IsZero() {
		facts = append(facts, fact{"measured from", env.Created.UTC().Format("2006-01-02 15:04 UTC")})
	}
	return nonEmpty([]factGroup{
		{Title: "Machine", Facts: known(facts)},
		{Title: "Sysctls of the machine", Code: true, Facts: factsOf(m.Sysctls)},
	})
}

// variantEnvironment is how variants really ran.
type variantEnvironment struct {
	Name   string
	Common bool // to all variants
	Groups []factGroup
}

// variantEnvironments lists first what is the same for all variants, then for
// each, in the plan's order, what is its own. A variant that is not in the
// environment never came up.
func variantEnvironments(p plan.Plan, env result.Environment) []variantEnvironment {
	var all []variantEnvironment
	for _, planned := range p.Variants {
		if v, ok := env.Variants[planned.Name]; ok {
			all = append(all, variantEnvironment{Name: planned.Name, Groups: variantGroups(v)})
		}
	}
	if len(all) < 2 {
		return all
	}
	common := variantEnvironment{Name: "The same for all variants"}
	for i, g := range all[0].Groups {
		shared := g
		shared.Facts = nil
		for _, f := range g.Facts {
			if !slices.ContainsFunc(all, func(v variantEnvironment) bool { return !slices.Contains(v.Groups[i].Facts, f) }) {
				shared.Facts = append(shared.Facts, f)
			}
		}
		common.Groups = append(common.Groups, shared)
	}
	list := []variantEnvironment{{common.Name, true, nonEmpty(common.Groups)}}
	for _, v := range all {
		for i := range v.Groups {
			v.Groups[i].Facts = slices.DeleteFunc(v.Groups[i].Facts, func(f fact) bool {
				return slices.Contains(common.Groups[i].Facts, f)
			})
		}
		list = append(list, variantEnvironment{Name: v.Name, Groups: nonEmpty(v.Groups)})
	}
	return slices.DeleteFunc(list, func(v variantEnvironment) bool { return len(v.Groups) == 0 })
}

// variantGroups lists everything about one variant, in groups that are the
// same for every variant.
func variantGroups(v result.Variant) []factGroup {
	return append([]factGroup{
		{Title: "Versions", Facts: factsOf(v.Versions)},
		{Title: "Network", Facts: known(append(factsOf(v.Facts), fact{"kube-proxy", v.KubeProxy}))},
		{Title: "Nodes", Facts: nodeFacts(v.Nodes)},
		{Title: "Sysctls in pods", Code: true, Facts: factsOf(v.PodSysctls)},
		{Title: "Digests", Code: true, Facts: factsOf(v.Digests)},
	}, machineFacts(v)...)
}

// nodeFacts puts each node on a line; sysctls follow where they were recorded.
func nodeFacts(nodes []result.Node) []fact {
	var list []fact
	for _, n := range nodes {
		value := fmt.Sprintf("%s, MTU %d, kernel %s", n.Address, n.MTU, n.Kernel)
		if n.Address == "" && n.MTU == 0 {
			value = "kernel " + n.Kernel // imported, and no more is known
		}
		for _, f := range factsOf(n.Sysctls) {
			value += fmt.Sprintf(", %s = %s", f.Name, f.Value)
		}
		list = append(list, fact{n.Name, value})
	}
	return list
}

// known leaves out facts that were not recorded.
func known(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}

func nonEmpty(groups []factGroup) []factGroup {
	return slices.DeleteFunc(slices.Clone(groups), func(g factGroup) bool { return len(g.Facts) == 0 })
}

// planFacts says what was planned.
func planFacts(a analysis.Analysis) []fact {
	p := a.Plan
	facts := []fact{{"campaign", p.Name}, {"plan hash", p.Hash}, {"seed", fmt.Sprint(p.Seed)}, {"blocks", fmt.Sprint(len(p.Blocks))}}
	if p.Stop != nil {
		facts = append(facts, fact{"stops", fmt.Sprintf("after %s blocks, when all intervals are narrower than ±%s", looks(p.Stop.Looks), percent(p.Stop.HalfWidth))})
	}
	if twin := p.Analysis.AA; twin != nil {
		facts = append(facts, fact{"A/A twin", twin.Name + " of " + twin.Variant})
	}
	if p.Imported != nil {
		facts = append(facts, fact{"imported", p.Imported.Source + ", as " + p.Imported.Format})
	}
	facts = append(facts, fact{"cluster", p.Cluster.Description()}, fact{"tools image", p.Tools.Image})
	fresh := "yes: a new cluster for every variant in every block"
	switch {
	case p.Imported != nil:
		fresh = "unknown: imported"
	case p.Shared():
		fresh = "no: all on the one cluster"
	case !p.FreshCluster:
		fresh = "no: one installation per variant"
	}
	facts = append(facts, fact{"fresh clusters", fresh}, fact{"base", p.Analysis.Base},
		fact{"primary", fmt.Sprintf("%s (%s)", strings.Join(p.Analysis.Primary, ", "), prose.Plural(a.Family, "comparison"))})
	for _, name := range slices.Sorted(maps.Keys(p.Analysis.Margins)) {
		facts = append(facts, fact{"margin of " + name, fmt.Sprint(p.Analysis.Margins[name])})
	}
	for i, v := range a.Variants {
		facts = append(facts, fact{"variant " + v.Name, variantFact(v, p.Variants[i].Definition, p.Imported != nil)})
	}
	for _, c := range a.Cells {
		facts = append(facts, fact{"cell " + c.ID, cellSubtitle(c)})
	}
	return known(facts)
}

// variantFact says how to have the same variant again.
func variantFact(v analysis.Variant, definition string, imported bool) string {
	parts := []string{"catalog entry " + v.Entry}
	if imported {
		parts = []string{"as the source calls it"}
	}
	if v.Version != "" {
		parts = append(parts, strings.TrimSpace(v.Plugin+" "+v.Version))
	}
	if v.Verified != "" {
		parts = append(parts, "catalog verified: "+v.Verified)
	}
	if v.Values != "" {
		parts = append(parts, "own values "+v.Values)
	}
	if definition != "" {
		parts = append(parts, "own definition "+definition)
	}
	return strings.Join(parts, ", ")
}

// blockOrder is one row of the table of blocks.
type blockOrder struct {
	Index           int
	Variants, Cells string
}

func blockOrders(blocks []plan.Block) []blockOrder {
	var list []blockOrder
	for _, b := range blocks {
		list = append(list, blockOrder{b.Index, strings.Join(b.Order, " → "), strings.Join(b.Cells, " → ")})
	}
	return list
}
