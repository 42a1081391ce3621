package report

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prose"
)

// method says how the campaign measured, one sentence or two for each choice
// that its plan made.
func method(a analysis.Analysis) []string {
	p := a.Plan
	if p.Imported != nil {
		lines := []string{fmt.Sprintf("Another program measured: cnibench read %s, in the format %s, and judges what it found there.", p.Imported.Source, p.Imported.Format)}
		if p.Unpaired() {
			return append(lines, "The source does not say that variants took turns. They are compared as independent samples.")
		}
		return append(lines, "The source measured every variant once in each block, so variants are compared within blocks.")
	}
	lines := []string{fmt.Sprintf("%s were planned. Each measures every variant once; their order is balanced over the blocks and drawn from the seed %d.", capital(prose.Plural(len(p.Blocks), "block")), p.Seed)}
	if len(p.Blocks) == 1 {
		lines[0] = fmt.Sprintf("1 block was planned. It measures every variant once, in an order drawn from the seed %d.", p.Seed)
	}
	switch {
	case p.Shared():
		lines = append(lines, "All variants took turns on one cluster.")
	case p.FreshCluster:
		lines = append(lines, "Every variant got a newly created cluster in every block.")
	default:
		lines = append(lines, "Every variant was installed once.")
	}
	if rules := validityRules(p.Validity); rules != "" {
		lines = append(lines, fmt.Sprintf("A block is dropped and measured again, once, when %s. No rule looks at anything that a variant itself can cause.", rules))
	}
	if p.Stop != nil {
		lines = append(lines, fmt.Sprintf("The campaign looked after %s blocks and ends when all intervals are narrower than ±%s, never because a difference showed.", looks(p.Stop.Looks), percent(p.Stop.HalfWidth)))
	}
	return lines
}

func validityRules(v *plan.Validity) string {
	if v == nil {
		return ""
	}
	var rules []string
	if v.Steal > 0 {
		rules = append(rules, fmt.Sprintf("the hypervisor took more than %s of a machine's CPU time", percent(v.Steal)))
	}
	if v.ForeignCPU > 0 {
		rules = append(rules, fmt.Sprintf("programs outside the cluster used more than %s of it", percent(v.ForeignCPU)))
	}
	if v.ClockStep {
		rules = append(rules, "a clock was set")
	}
	return strings.Join(rules, ", or ")
}

// reproduction is how somebody else measures the same again, and what for that
// is not in the results.
type reproduction struct {
	Command  string
	Says     string // what the command does
	Campaign string // the file that it takes, as the user wrote it
	Check    string // the hash that the same plan has
	Missing  []string
}

func reproduce(s Source) reproduction {
	p := s.Analysis.Plan
	if p.Imported != nil {
		return reimport(s)
	}
	r := reproduction{
		Command: "cnibench run -f campaign.yaml", Says: "measures the same campaign: the same cells and blocks in the same order.",
		Campaign: string(s.Campaign), Check: p.Hash,
	}
	if r.Campaign == "" {
		r.Missing = append(r.Missing, "The campaign file: the results directory has no campaign.yaml.")
	}
	if v := s.Environment.Cnibench; v == "" || v == "devel" || strings.Contains(v, "dirty") {
		r.Missing = append(r.Missing, "The program: what measured was built by hand and does not know its version.")
	}
	switch {
	case p.Cluster.Existing != nil:
		r.Missing = append(r.Missing, "The cluster: it was there before. Its nodes, kernels, links and versions are listed under Environment, and the same campaign on another cluster is another measurement.")
		if !p.Cluster.Existing.AllowCNIChange {
			r.Missing = append(r.Missing, "The network plugin: it was there before and was left alone. How it was installed and configured is not recorded.")
		}
	case p.Cluster.Command != nil:
		r.Missing = append(r.Missing, fmt.Sprintf("The cluster: whatever %q made. Only the command is recorded.", p.Cluster.Command.Up))
	default:
		r.Missing = append(r.Missing, "The machine: its processor and kernel are listed under Environment. Another one gives other numbers.")
	}
	for _, v := range p.Variants {
		if v.Definition != "" {
			r.Missing = append(r.Missing, fmt.Sprintf("The definition of %s: it came from the user's own catalog and has the digest %s.", v.Name, v.Definition))
		}
	}
	for _, t := range p.Targets() {
		r.Missing = append(r.Missing, fmt.Sprintf("The server behind target %s: it was there before, and what it is and what lies on the way to it is not recorded.", t.Description()))
	}
	if p.Prometheus != nil {
		r.Missing = append(r.Missing, "The Prometheus server that was asked, and what it knew.")
	}
	return r
}

func reimport(s Source) reproduction {
	p := s.Analysis.Plan
	r := reproduction{
		Command: fmt.Sprintf("cnibench import %s %s --out DIR", shellWord(p.Imported.Format), shellWord(p.Imported.Source)),
		Says:    "reads the same figures again and gives the same verdicts.",
		Missing: []string{"The measurement: another program made it, and how is not in its files."},
	}
	if i := s.Environment.Import; i != nil && i.Digest != "" {
		r.Check = i.Digest
	}
	return r
}
