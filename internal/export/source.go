package export

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// Source is what is exported: a results directory and what was read from it.
type Source struct {
	Dir         *result.Dir
	Environment result.Environment
	Trials      []result.Trial // every attempt of the journal
	Analysis    analysis.Analysis
}

// labels of a series.
type labels = map[string]string

// with returns a copy of l with more labels: name, value, name, value … An
// empty value is no label.
func with(l labels, more ...string) labels {
	all := maps.Clone(l)
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			all[more[i]] = more[i+1]
		}
	}
	return all
}

// campaign labels every series.
func (s Source) campaign() labels {
	p := s.Analysis.Plan
	run := ""
	if began := s.began(); !began.IsZero() {
		run = began.UTC().Format(time.RFC3339)
	}
	return with(labels{"campaign": p.Name, "plan": shortHash(p.Hash)}, "run", run)
}

// began is when the run wrote its environment, or else its first trial; zero
// if nobody says.
func (s Source) began() time.Time {
	began := s.Environment.Created
	for _, t := range s.Trials {
		if began.IsZero() || s.Environment.Created.IsZero() && t.Start.Before(began) {
			began = t.Start
		}
	}
	return began
}

// ended is the time of everything that describes the campaign as a whole: the
// end of the last trial. Without any it is the beginning.
func (s Source) ended() time.Time {
	ended := s.Environment.Created
	for _, t := range s.Trials {
		if t.End.After(ended) {
			ended = t.End
		}
	}
	return ended
}

// shortHash is the start of a plan's hash, enough to tell plans apart.
func shortHash(hash string) string {
	digits := strings.TrimPrefix(hash, "sha256:")
	return digits[:min(len(digits), 12)]
}

// trial labels what belongs to one attempt.
func (s Source) trial(t result.Trial) labels {
	return with(s.campaign(), "variant", t.Variant, "cell", t.Cell, "scenario", t.Scenario,
		"block", strconv.Itoa(t.Block), "attempt", strconv.Itoa(t.Attempt), "status", string(t.Status))
}

// timeOf is the time of a trial's values: the end of the window that they
// describe, or of the attempt where nothing was measured. Imported results may
// not say; they are shown at the time of the import.
func (s Source) timeOf(t result.Trial) time.Time {
	switch {
	case t.Window != nil:
		return t.Window.End
	case t.End.IsZero():
		return s.Environment.Created
	}
	return t.End
}
