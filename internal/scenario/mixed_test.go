package scenario

import (
	"testing"

	"github.com/cnibench/cnibench/internal/parameter"
)

// A mix has all of its parts.
func TestMixedMisfit(t *testing.T) {
	for load, fits := range map[string]bool{"0": false, "0.5": true, "100Mbit": true, "much": false} {
		problem, remedy := mixedMisfit(parameter.Values{"load": load})
		if (problem == "") != fits || (problem == "") != (remedy == "") {
			t.Errorf("load %s: %q, %q", load, problem, remedy)
		}
	}
}

func TestQuestionsOfMix(t *testing.T) {
	questions := questionsOfMix()
	if len(questions) != 2 || questions[0].Expect == questions[1].Expect {
		t.Errorf("a mix asks %+v", questions)
	}
	if len(questionsOf[cachedName]) != 1 {
		t.Errorf("the questions of dns have changed: %+v", questionsOf[cachedName])
	}
}
