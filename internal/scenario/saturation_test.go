package scenario

import (
	"testing"

	"github.com/cnibench/cnibench/internal/stage"
)

// What a link is said to carry comes from the parameter before the card, and
// both ways it carries twice as much.
func TestSaidLink(t *testing.T) {
	card := stage.LineLimit{Rate: 10e9, MTU: 1500, Why: "node1's eth0"}
	goodput := card.Goodput(stage.HeadersTCP)
	for _, test := range []struct {
		name      string
		parameter float64
		limit     stage.LineLimit
		direction string
		want      link
		known     bool
	}{
		{"the parameter", 5e9, card, "forward", link{5e9, "the parameter link-rate"}, true},
		{"the parameter, both ways", 5e9, card, "bidir", link{10e9, "the parameter link-rate, both ways together"}, true},
		{"the card", 0, card, "reverse", link{goodput, "TCP payload of " + card.String()}, true},
		{"the card, both ways", 0, card, "bidir", link{2 * goodput, "TCP payload of " + card.String() + ", both ways together"}, true},
		{"neither", 0, stage.LineLimit{Why: "no card"}, "bidir", link{}, false},
	} {
		got, known := saidLink(test.parameter, test.limit, test.direction)
		if known != test.known || known && got != test.want {
			t.Errorf("%s: %+v, %t", test.name, got, known)
		}
	}
}
