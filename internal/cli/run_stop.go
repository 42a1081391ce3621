package cli

import (
	"fmt"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// enough asks the analysis whether a campaign that may stop early has: run and
// report then agree on it. nil: the plan has no rule for that.
func enough(p plan.Plan) func(blocks int, trials []result.Trial) (string, error) {
	if p.Stop == nil {
		return nil
	}
	return func(blocks int, trials []result.Trial) (string, error) {
		s, err := analysis.StoppedAt(p, trials)
		if err != nil || s == nil {
			return "", err
		}
		why := fmt.Sprintf("every interval is narrower than ±%.4g %%", 100*s.HalfWidth)
		if s.Comparisons == 0 {
			why = "there is no primary comparison whose interval could be looked at"
		}
		return fmt.Sprintf("stopping after %d of at most %d blocks: %s", blocks, s.AtMost, why), nil
	}
}
