package campaign

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// Looks for which the level of verdicts was simulated (stats.PrecisionRule).
const (
	firstLook = 10
	mostLooks = 3
)

// defaultLooks are those of the methodology.
func defaultLooks() []int { return []int{10, 15, 20} }

// stopKeys are the keys of spec.stop.
var stopKeys = document.Keys{Valid: []string{"halfWidth", "looks"}}

// stop reads when a campaign ends early. The last look is the number of
// blocks, so that blocks, where it is given too, must agree.
func (d *decoder) stop(n, blocks *yaml.Node, s *Spec) {
	before := len(d.Problems)
	fields, ok := d.Object(n, "stop", stopKeys)
	if !ok {
		return
	}
	stop := Stop{Looks: defaultLooks()}
	if v := d.Required(n, fields, "halfWidth", "add halfWidth: 2%, what every interval of the primary family shall reach"); v != nil {
		d.Percentage(v, "halfWidth", &stop.HalfWidth)
	}
	if v := fields["looks"]; v != nil {
		d.looks(v, &stop.Looks)
	}
	if len(d.Problems) > before {
		return
	}
	last := stop.Looks[len(stop.Looks)-1]
	if blocks != nil && s.Blocks != last {
		d.Report(blocks, fmt.Sprintf("blocks is %d, and the last look of stop is after %d blocks", s.Blocks, last),
			fmt.Sprintf("remove blocks: a campaign with stop has at most %d, those of its last look; or change looks", last))
		return
	}
	s.Stop, s.Blocks = &stop, last
}

func (d *decoder) looks(n *yaml.Node, into *[]int) {
	const hint = "write one to three numbers of blocks that ascend, the first 10 or more: looks: [10, 15, 20]"
	elements, ok := d.List(n, "looks", hint)
	if !ok {
		return
	}
	if len(elements) > mostLooks {
		d.Report(elements[mostLooks], fmt.Sprintf("looks has %d numbers, more than the %d for which verdicts hold", len(elements), mostLooks), hint)
		return
	}
	looks := make([]int, len(elements))
	for i, e := range elements {
		looks[i] = defaultLooks()[i] // the example of a hint
		if !d.Integer(e, "looks", firstLook, maxBlocks, &looks[i]) {
			return
		}
		if i > 0 && looks[i] <= looks[i-1] {
			d.Report(e, fmt.Sprintf("looks must ascend, and %d follows %d", looks[i], looks[i-1]), hint)
			return
		}
	}
	*into = slices.Clip(looks)
}
