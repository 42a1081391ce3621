package analysis

import (
	"slices"

	"github.com/cnibench/cnibench/internal/result"
)

// atCeiling says that an arm of a rate filled the line in more than half of its
// blocks (docs/methodology.md section 3): a better plugin would not be faster.
func atCeiling(m Metric, a Arm) bool {
	if m.Unit != "bit/s" || m.Better != result.Higher {
		return false
	}
	full := 0
	for _, s := range a.Samples {
		if slices.Contains(s.Marks, result.LineLimited) {
			full++
		}
	}
	return 2*full > len(a.Samples)
}
