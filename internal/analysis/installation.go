package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// installationShare is the share of itself by which the memory of two
// installations of the same may differ. Of 22 pairs of one Flannel, each
// measured in 48 blocks, 21 differed by less than 3 % in the memory of all that
// runs for the cluster, one by 11 %; no metric but memory differed beyond its
// margin (docs/methodology.md section 1).
const installationShare = 0.05

// oneInstallation is why more blocks do not settle a comparison.
const oneInstallation = "each was installed once, and installations differ by as much"

// ofInstallation says that a metric differs between installations of the same,
// and hardly between the blocks of one: a process keeps the memory that it once
// took, and pages of files count where they were read first.
func ofInstallation(m result.Metric) bool {
	return m.Unit == "bytes" && m.Scale == result.Difference && (m.Name == "memory" || strings.HasSuffix(m.Name, "-memory"))
}

// installedOnce says that all blocks of a variant come from one installation.
func installedOnce(p plan.Plan) bool { return p.Imported == nil && !p.FreshCluster }

// Allowance is by how much two arms may differ in the metric because their
// installations do, in its unit: 0 where blocks sample installations. Blocks of
// one installation are one sample of it, however many.
func Allowance(m Metric, a, b Arm) float64 {
	if !m.Once || a.Summary == nil || b.Summary == nil {
		return 0
	}
	return installationShare * max(math.Abs(a.Summary.Median), math.Abs(b.Summary.Median))
}

// allowances says what verdicts allow for; empty where none does.
func (a Analysis) allowances() string {
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			if slices.ContainsFunc(m.Comparisons, func(k Comparison) bool { return k.Allowance > 0 }) {
				return fmt.Sprintf("; memory differs between installations, and verdicts about it hold if it does so by %g %%", 100*installationShare)
			}
		}
	}
	return ""
}

// allowing makes claims that hold whatever the installations of both add or
// take, given the claims at a margin.
func allowing(claims func(margin float64) (stats.Claims, error), margin, allowance float64) (stats.Claims, error) {
	c, err := claims(margin + allowance)
	if err != nil || allowance == 0 {
		return c, err
	}
	c.Equivalent = 1
	if allowance < margin {
		narrow, err := claims(margin - allowance)
		if err != nil {
			return c, err
		}
		c.Equivalent = narrow.Equivalent
	}
	return c, nil
}
