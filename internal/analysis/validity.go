package analysis

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// invalidBlockWarnings names the blocks that were taken back, and what became
// of them.
func invalidBlockWarnings(a Analysis) []result.Warning {
	reasons, given, blocks := map[int]string{}, map[int]bool{}, []int{}
	for _, d := range a.Dropped { // by block, and by attempt within a trial
		if d.Voids == 0 {
			continue
		}
		if _, known := reasons[d.Block]; !known {
			blocks = append(blocks, d.Block)
			given[d.Block] = true
		}
		reasons[d.Block] = strings.TrimPrefix(d.Reason, fmt.Sprintf("block %d: ", d.Block))
		given[d.Block] = given[d.Block] && d.Replaced
	}
	if len(blocks) == 0 {
		return nil
	}
	var parts []string
	for _, b := range blocks {
		became := "is dropped"
		if given[b] {
			became = "was measured again"
		}
		parts = append(parts, fmt.Sprintf("block %d %s (%s)", b, became, reasons[b]))
	}
	return []result.Warning{{
		Code:    "invalid-blocks",
		Message: fmt.Sprintf("%d of %d blocks %s invalid: %s", len(blocks), len(a.Blocks()), was(len(blocks)), strings.Join(parts, "; ")),
		Hint:    "find out who uses these machines besides the campaign; spec.validity has the limits, and --resume --retry-failed measures what was dropped",
	}}
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
