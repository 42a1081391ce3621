package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/cni"
)

// unsupported warns of trials that are known to be unsupported before anything
// starts; empty for none.
func (d design) unsupported() (string, error) {
	var reasons []string
	trials := 0
	for _, v := range d.plan.Variants {
		entry, err := d.catalog.Entry(v.Entry, cni.Choice{Version: v.Version})
		if err != nil {
			return "", fmt.Errorf("reading the catalog: %w", err)
		}
		reason := ""
		for _, c := range d.plan.Cells {
			s, err := d.scenarios.Find(c.Scenario)
			if err != nil {
				return "", err
			}
			if lacks := s.Requires.Lacking(entry); lacks != "" {
				reason = lacks
				trials += len(d.plan.Blocks)
			}
		}
		if reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if trials == 0 {
		return "", nil
	}
	return fmt.Sprintf("%d of %d trials will be unsupported: %s", trials, len(d.plan.Trials()), strings.Join(reasons, ", ")), nil
}
