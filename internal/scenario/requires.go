package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Requires is what a variant or its cluster must have, so that a plan can tell
// and a lab can bring it.
type Requires struct {
	Policy   bool // NetworkPolicy is enforced
	L7       bool // policies on HTTP requests are enforced
	Services bool // cluster IPs are carried
	DNS      bool // the cluster resolves names of Services
	HTTPLoad bool // the load image has k6
}

// Words names what is required, for people; empty for nothing.
func (r Requires) Words() string {
	var words []string
	for _, w := range []struct {
		needed bool
		word   string
	}{
		{r.Policy, "NetworkPolicy"}, {r.L7, "policies on HTTP requests"}, {r.Services, "Services"},
		{r.DNS, "cluster DNS"}, {r.HTTPLoad, "k6 in the load image"},
	} {
		if w.needed {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

// Measure runs a scenario on a bench that has what it requires; on another it
// returns an *stage.UnsupportedError. A trial that lacks the scenario's first metric
// has failed; of others it says why they are missing.
func (s Scenario) Measure(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	if missing, err := s.Requires.missing(ctx, b); err != nil {
		return stage.Measurement{}, err
	} else if missing != "" {
		return stage.Measurement{}, &stage.UnsupportedError{Reason: missing}
	}
	m, err := b.Trial(func(b *stage.Bench) (stage.Measurement, error) {
		m, err := s.Run(ctx, b, cell)
		if err != nil {
			return m, err
		}
		if reason, lacks := m.Missing[s.Metrics[0].Name]; lacks {
			return m, fmt.Errorf("there is no %s: %s", s.Metrics[0].Name, reason)
		}
		return m, nil
	})
	if !slices.ContainsFunc(m.Values, func(v result.Value) bool { return v.Name == throughput.Name }) {
		// A policy is there to drop.
		m.Marks = slices.DeleteFunc(m.Marks, func(k result.Mark) bool { return k.Name == stage.MarkDrops })
	}
	return m, err
}

// Lacking says what a variant lacks on any cluster; empty for nothing.
func (r Requires) Lacking(e cni.Entry) string {
	switch {
	case e.Variant.Present:
		// A plugin that was there already is what it is: proofs and probes tell.
	case r.Policy && !e.Enforces.NetworkPolicy:
		return fmt.Sprintf("%s enforces no NetworkPolicy", e.Name)
	case r.L7 && !strings.Contains(e.Enforces.L7, "HTTP"):
		return fmt.Sprintf("%s enforces no policies on HTTP requests", e.Name)
	}
	return ""
}

// missing says what the bench lacks; empty for nothing. What only a try can
// tell, such as programs in the load image, scenarios find out themselves.
func (r Requires) missing(ctx context.Context, b *stage.Bench) (string, error) {
	if lacks := r.Lacking(b.Entry); lacks != "" {
		return lacks, nil
	}
	if r.Services && !cni.Services(b.Cluster, b.Entry) {
		return stage.NoServices, nil
	}
	if r.DNS {
		_, missing, err := b.Cluster.DNS(ctx)
		return missing, err
	}
	return "", nil
}
