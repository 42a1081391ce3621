package plan

import (
	"fmt"
	"strings"
)

// Description says in one line what makes a block invalid, such as "more than
// 10 % steal, or a clock that was set".
func (v Validity) Description() string {
	var rules []string
	if v.Steal > 0 {
		rules = append(rules, fmt.Sprintf("more than %.4g %% steal", 100*v.Steal))
	}
	if v.ForeignCPU > 0 {
		rules = append(rules, fmt.Sprintf("more than %.4g %% foreign CPU", 100*v.ForeignCPU))
	}
	if v.ClockStep {
		rules = append(rules, "a clock that was set")
	}
	if len(rules) == 0 {
		return "nothing makes a block invalid"
	}
	if last := len(rules) - 1; last > 0 {
		rules[last] = "or " + rules[last]
	}
	return "a block is invalid by " + strings.Join(rules, ", ")
}
