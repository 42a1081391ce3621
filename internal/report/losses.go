package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
)

// loss groups the attempts of one variant and cell that were lost in one way.
type loss struct {
	Cell, Variant, Status, Reason string
	Count                         int
	Blocks                        []int
	whole                         bool // a block that was taken back, with all its trials
}

// where names the blocks of a loss.
func (l loss) where() string {
	return fmt.Sprintf(" (%s)", l.BlockList())
}

// BlockList names the blocks, such as "block 3" or "blocks 3, 4, 7".
func (l loss) BlockList() string {
	blocks := slices.Compact(slices.Clone(l.Blocks))
	names := make([]string, len(blocks))
	for i, b := range blocks {
		names[i] = fmt.Sprint(b)
	}
	if len(names) == 1 {
		return "block " + names[0]
	}
	return "blocks " + strings.Join(names, ", ")
}

// losses groups dropped attempts and missing trials, by the plan's order of
// cells and variants.
func losses(a analysis.Analysis) []loss {
	groups := map[string]*loss{}
	add := func(l loss, block int) {
		key := strings.Join([]string{l.Cell, l.Variant, l.Status, l.Reason}, "\x00")
		if groups[key] == nil {
			groups[key] = &l
		}
		groups[key].Count++
		groups[key].Blocks = append(groups[key].Blocks, block)
	}
	for _, d := range a.Dropped {
		l := loss{Cell: d.Cell, Variant: d.Variant, Status: string(d.Status), Reason: d.Reason}
		if d.Replaced {
			l.Status += ", tried again"
		}
		if d.Voids > 0 {
			l = wholeBlock(d)
		}
		add(l, d.Block)
	}
	for _, m := range a.Missing {
		add(loss{Cell: m.Cell, Variant: m.Variant, Status: "missing", Reason: a.WhyMissing()}, m.Block)
	}
	list := make([]loss, 0, len(groups))
	for _, l := range groups {
		slices.Sort(l.Blocks)
		list = append(list, *l)
	}
	cells, variants := map[string]int{}, map[string]int{}
	for i, c := range a.Plan.Cells {
		cells[c.ID] = i
	}
	for i, v := range a.Plan.Variants {
		variants[v.Name] = i
	}
	slices.SortFunc(list, func(x, y loss) int {
		return cmp.Or(cmp.Compare(order(x), order(y)), cmp.Compare(cells[x.Cell], cells[y.Cell]), cmp.Compare(variants[x.Variant], variants[y.Variant]),
			cmp.Compare(x.Status, y.Status), cmp.Compare(x.Reason, y.Reason))
	})
	return list
}

// wholeBlock is one loss for all trials of a block that was taken back: each of
// them has the block's reason.
func wholeBlock(d analysis.Dropped) loss {
	l := loss{Cell: "all", Variant: "all", Status: "block dropped", Reason: strings.TrimPrefix(d.Reason, fmt.Sprintf("block %d: ", d.Block)), whole: true}
	if d.Replaced {
		l.Status += ", measured again"
	}
	return l
}

// order puts blocks behind single trials.
func order(l loss) int {
	if l.whole {
		return 1
	}
	return 0
}
