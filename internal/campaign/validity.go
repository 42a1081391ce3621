package campaign

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// Validity is what makes a block invalid: shares of a machine's CPU time, from
// 0 to 1, and whether a clock that was set does. 0 or false: no such rule.
type Validity struct {
	Steal      float64
	ForeignCPU float64
	ClockStep  bool
}

// The rules that hold unless the campaign says otherwise; docs/methodology.md
// has the reasons.
const (
	DefaultSteal      = 0.40
	DefaultForeignCPU = 0.50
)

var validityKeys = document.Keys{Valid: []string{"steal", "foreignCPU", "clockStep"}}

// off switches a rule off, or all of them.
const off = "off"

func isOff(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Value == off }

func (d *decoder) validity(n *yaml.Node) *Validity {
	if isOff(n) {
		return &Validity{}
	}
	v := &Validity{Steal: DefaultSteal, ForeignCPU: DefaultForeignCPU, ClockStep: true}
	if n.Kind != yaml.MappingNode {
		d.Report(n, "validity must be a mapping or off, not "+document.Describe(n),
			"its keys are "+strings.Join(validityKeys.Valid, ", ")+"; off leaves all out")
		return v
	}
	fields, ok := d.Object(n, "validity", validityKeys)
	if !ok {
		return v
	}
	d.rule(fields["steal"], "steal", &v.Steal)
	d.rule(fields["foreignCPU"], "foreignCPU", &v.ForeignCPU)
	if c := fields["clockStep"]; c != nil {
		if isOff(c) {
			v.ClockStep = false
		} else {
			d.Boolean(c, "clockStep", &v.ClockStep)
		}
	}
	return v
}

func (d *decoder) rule(n *yaml.Node, key string, into *float64) {
	switch {
	case n == nil:
	case isOff(n):
		*into = 0
	default:
		if !d.Percentage(n, key, into) { // knows nothing of off
			d.Problems[len(d.Problems)-1].Hint = "write a percentage such as 20%, or off to leave the rule out"
		}
	}
}
