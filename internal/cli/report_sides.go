package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
)

// chooseSides reads two names of trials, BLOCK/VARIANT/CELL,BLOCK/VARIANT/CELL,
// which must have time series.
func chooseSides(text string, s report.Source) (*[2]result.Key, error) {
	if len(s.Series) == 0 {
		return nil, usage(errors.New("--side-by-side: these results have no time series"),
			"they are in raw/ of the directory that was measured into: copy that, too")
	}
	known := map[string]result.Key{}
	var names []string
	for _, one := range s.Series {
		name := trialName(one.Key())
		known[name] = one.Key()
		names = append(names, name)
	}
	first, second, ok := splitSides(text, known)
	if !ok {
		return nil, usage(fmt.Errorf("--side-by-side: %q is not two trials", text),
			fmt.Sprintf("write both with a comma between, such as %s,%s", names[0], names[len(names)-1]))
	}
	for _, name := range []string{first, second} {
		if _, ok := known[name]; !ok {
			return nil, noSide(name, names, s.Analysis)
		}
	}
	if first == second {
		return nil, usage(fmt.Errorf("--side-by-side: %s is there twice", first), "name another trial beside it")
	}
	return &[2]result.Key{known[first], known[second]}, nil
}

// trialName is a trial as the directories of raw/ name it.
func trialName(k result.Key) string { return fmt.Sprintf("%d/%s/%s", k.Block, k.Variant, k.Cell) }

// splitSides splits at the comma that leaves known names on both sides, if there
// is one; names may have commas. Otherwise it splits so that as much as can be is
// known. It reports false where there is no comma.
func splitSides(text string, known map[string]result.Key) (first, second string, ok bool) {
	best := -1
	for i, r := range text {
		if r != ',' {
			continue
		}
		a, b := sideName(text[:i]), sideName(text[i+1:])
		_, knowsA := known[a]
		_, knowsB := known[b]
		score := 0
		if knowsA {
			score++
		}
		if knowsB {
			score++
		}
		if score > best {
			best, first, second = score, a, b
		}
	}
	return first, second, best >= 0
}

// sideName is a name as it is written or copied: with raw/ before it or without.
func sideName(text string) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(text), "/"), result.RawDirectory+"/")
}

// noSide says why a trial cannot be shown: it is not in the plan, has no result,
// or no series; and names the nearest that can.
func noSide(name string, names []string, a analysis.Analysis) error {
	nearest, near := document.Nearest(name, names)
	for _, t := range a.Plan.Trials() {
		k := result.KeyOf(t)
		if trialName(k) != name {
			continue
		}
		hint := "choose one of which raw/ has the series"
		if near {
			hint += ", such as " + nearest
		}
		return usage(fmt.Errorf("--side-by-side: the trial %s has no time series%s", name, whyNoSeries(k, a)), hint)
	}
	if near {
		return usage(fmt.Errorf("--side-by-side: there is no trial %q", name), fmt.Sprintf("did you mean %q?", nearest))
	}
	return usage(fmt.Errorf("--side-by-side: there is no trial %q", name),
		fmt.Sprintf("trials are named as raw/ names them, BLOCK/VARIANT/CELL, such as %s", names[0]))
}

// whyNoSeries is such as ": failed, …" for a trial without a result, and empty
// for others.
func whyNoSeries(k result.Key, a analysis.Analysis) string {
	if slices.Contains(a.Missing, analysis.Missing{Block: k.Block, Variant: k.Variant, Cell: k.Cell}) {
		return ": not measured"
	}
	for _, t := range a.Dropped {
		if !t.Replaced && (result.Key{Block: t.Block, Variant: t.Variant, Cell: t.Cell}) == k {
			return fmt.Sprintf(": %s, %s", t.Status, t.Reason)
		}
	}
	return ""
}
