package plan_test

import (
	"testing"

	"github.com/cnibench/cnibench/internal/plan"
)

func TestValidityDescription(t *testing.T) {
	for want, v := range map[string]plan.Validity{
		"nothing makes a block invalid":                {},
		"a block is invalid by more than 12.5 % steal": {Steal: 0.125},
		"a block is invalid by more than 40 % steal, more than 50 % foreign CPU, or a clock that was set": {Steal: 0.4, ForeignCPU: 0.5, ClockStep: true},
	} {
		if got := v.Description(); got != want {
			t.Errorf("%+v: %q, want %q", v, got, want)
		}
	}
}
