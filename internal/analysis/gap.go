package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// Gap is a value that an ok trial was to have and lacks. It is not in
// statistics, and it is not 0.
type Gap struct {
	Metric   string `json:"metric"`
	Reason   string `json:"reason"`
	Variant  string `json:"variant"`
	Block    int    `json:"block"`
	Position int    `json:"position"`
	Attempt  int    `json:"attempt"`
}

// gapsOf lists what the ok trials of a cell lack, by metric, then in the order
// of the trials.
func gapsOf(ok []result.Trial) []Gap {
	var list []Gap
	for _, t := range ok {
		for name, reason := range t.Missing {
			list = append(list, Gap{name, reason, t.Variant, t.Block, t.Position, t.Attempt})
		}
	}
	// The trials are sorted by block; a trial has each metric once.
	slices.SortStableFunc(list, func(a, b Gap) int { return strings.Compare(a.Metric, b.Metric) })
	return list
}

// Absence is metrics that trials of a cell lack for one reason.
type Absence struct {
	Metrics []string // sorted
	Reason  string
	Trials  int
	Where   string // variants with the number of their trials
}

// NotOffered are the metrics that no trial of the cell has, all for the same
// reason: the machine does not offer them. They set no trial apart.
func (c Cell) NotOffered() []Absence { return c.absences(true) }

// Lost are the metrics that some trials lack and others have, or that are
// lacking for several reasons.
func (c Cell) Lost() []Absence { return c.absences(false) }

func (c Cell) absences(offered bool) []Absence {
	ok := 0
	for _, o := range c.Outcomes {
		ok += o.OK
	}
	byReason := map[string]map[string][]Gap{} // then by metric
	count := map[string]map[string]int{}      // of trials, by metric and reason
	for _, g := range c.Gaps {
		if byReason[g.Reason] == nil {
			byReason[g.Reason] = map[string][]Gap{}
		}
		byReason[g.Reason][g.Metric] = append(byReason[g.Reason][g.Metric], g)
		if count[g.Metric] == nil {
			count[g.Metric] = map[string]int{}
		}
		count[g.Metric][g.Reason]++
	}
	var list []Absence
	index := map[string]int{}
	for _, g := range c.Gaps {
		if everywhere := count[g.Metric][g.Reason] == ok; everywhere != offered {
			continue
		}
		gaps := byReason[g.Reason][g.Metric]
		where := whereOf(gaps)
		key := g.Reason + "\x00" + where
		i, known := index[key]
		if !known {
			i = len(list)
			index[key] = i
			list = append(list, Absence{Reason: g.Reason, Trials: len(gaps), Where: where})
		}
		if !slices.Contains(list[i].Metrics, g.Metric) {
			list[i].Metrics = append(list[i].Metrics, g.Metric)
		}
	}
	return list
}

// whereOf says in which trials, such as "host in block 3; flannel-vxlan in
// blocks 1, 4".
func whereOf(gaps []Gap) string {
	var variants []string
	blocks := map[string][]string{}
	for _, g := range gaps {
		if blocks[g.Variant] == nil {
			variants = append(variants, g.Variant)
		}
		blocks[g.Variant] = append(blocks[g.Variant], fmt.Sprint(g.Block))
	}
	slices.Sort(variants)
	var parts []string
	for _, v := range variants {
		word := "block"
		if len(blocks[v]) > 1 {
			word = "blocks"
		}
		parts = append(parts, fmt.Sprintf("%s in %s %s", v, word, strings.Join(blocks[v], ", ")))
	}
	return strings.Join(parts, "; ")
}

// gapWarnings name what some trials of a cell lack.
func gapWarnings(c Cell) []result.Warning {
	var list []result.Warning
	for _, lost := range c.Lost() {
		list = append(list, result.Warning{
			Code:    "metrics-missing",
			Message: fmt.Sprintf("%s: %s of %s: %s", c.ID, strings.Join(lost.Metrics, ", "), lost.Where, lost.Reason),
			Hint:    "the trials' other figures stand; comparisons of these metrics leave the blocks out",
		})
	}
	return list
}
