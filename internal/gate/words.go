package gate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// Headline says in one line what came out.
func (res Result) Headline() string {
	if res.Outcome == Unfit {
		return fmt.Sprintf("unfit: %s against the gate, nothing is decided", count(len(res.Unfit), "reason"))
	}
	var parts []string
	for _, o := range []stats.Outcome{stats.Regression, stats.Undecided, stats.Pass} {
		if n := res.Count(o); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return fmt.Sprintf("%s: %s of %s", res.Outcome, strings.Join(parts, ", "), count(len(res.Checks), "check"))
}

// Subject is what a check is about.
func (c Check) Subject() string { return c.Variant + " " + c.Cell + "/" + c.Metric }

// Explain says in one line what was found, what was asked for, and what is
// missing.
func (c Check) Explain(against string) string {
	parts := []string{}
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if c.Bound != "" {
		add(c.level())
	} else {
		add(c.change(against))
	}
	add(c.asked())
	if c.Reason != "" {
		add(c.Reason)
	}
	if c.Further > 0 {
		add(fmt.Sprintf("about %s likely to decide it", further(c)))
	}
	return strings.Join(append(parts, c.Notes...), "; ")
}

// further names what has to be measured in addition.
func further(c Check) string {
	switch {
	case c.OtherN > 0:
		return count(c.Further, "more block") + " on both sides are"
	case c.Further == 1:
		return "1 more block is"
	}
	return count(c.Further, "more block") + " are"
}

// level describes the variant's own values.
func (c Check) level() string {
	if c.Median == nil {
		return ""
	}
	if c.MedianInterval == nil {
		return fmt.Sprintf("median %s, no interval from %s", show(c.Unit, *c.Median).with(*c.Median), count(c.N, "block"))
	}
	iv := c.MedianInterval
	s := show(c.Unit, *c.Median, iv.Low, iv.High)
	return fmt.Sprintf("median %s, %s interval %s, %s", s.with(*c.Median), percent(iv.Confidence), s.span(iv.Low, iv.High), count(c.N, "block"))
}

// change describes the variant's distance from base or baseline.
func (c Check) change(against string) string {
	e := c.Effect
	if e == nil {
		return ""
	}
	n := count(c.N, "pair")
	if c.OtherN > 0 {
		n = fmt.Sprintf("%s against %d", count(c.N, "block"), c.OtherN)
	}
	if e.Interval == nil {
		return fmt.Sprintf("%s against %s, no interval from %s", showChange(c.Scale, c.Unit, e.Estimate).estimate(e.Estimate), against, n)
	}
	s := showChange(c.Scale, c.Unit, e.Estimate, e.Interval.Low, e.Interval.High)
	return fmt.Sprintf("%s against %s, %s interval %s, %s", s.estimate(e.Estimate), against, percent(e.Interval.Confidence), s.interval(e.Interval.Low, e.Interval.High), n)
}

// asked says what would have been good enough.
func (c Check) asked() string {
	switch {
	case c.Limit != nil:
		return map[Bound]string{Min: "at least ", Max: "at most "}[c.Bound] + plain(c.Unit, *c.Limit)
	case c.Bound != "":
		return "asked for: --" + string(c.Bound) + " " + c.LimitText
	case c.Margin == nil:
		return ""
	case c.Scale == result.Ratio:
		return "margin " + percent(*c.Margin)
	}
	text := "margin " + plain(c.Unit, *c.Margin)
	if c.Allowance > 0 {
		text += fmt.Sprintf(" and %s by which installations differ, each being one", show(c.Unit, c.Allowance).with(c.Allowance))
	}
	return text
}

// against names what variants are held against.
func (res Result) against() string {
	if res.Baseline != "" {
		return "the baseline"
	}
	return res.Base
}

// family says by what rule it was decided.
func (res Result) family() string {
	return fmt.Sprintf("%s, one family: every claim one-sided at %s after Holm", count(len(res.Checks), "check"), short(res.Alpha))
}

func percent(fraction float64) string { return short(100*fraction) + " %" }

// count is a number of things, in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
