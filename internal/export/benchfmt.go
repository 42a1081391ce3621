package export

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// Benchfmt writes the Go project's benchmark format
// (go.dev/design/14313-benchmark-format) as benchstat reads it: a benchmark per
// cell and variant, and a line per trial that counts, so that whoever reads it
// computes statistics of their own. benchstat tells metrics apart by their unit
// alone, so a unit begins with the metric's name. The parameters of a cell and
// what the machine is are configuration: benchstat compares only what has the
// same. What gave no result is in lines that benchstat passes over, as go test
// writes them.
func Benchfmt(ctx context.Context, w io.Writer, s Source, o Options) (Outcome, error) {
	b := benchWriter{out: bufio.NewWriter(w)}
	var outcome Outcome
	b.head(s)
	b.units(s.Analysis, o.Only)
	decisive := result.LastAttempts(s.Trials)
	for _, c := range s.Analysis.Cells {
		if !o.Only.cell(c.ID) {
			continue
		}
		b.configure(c)
		for _, v := range s.Analysis.Plan.Variants {
			if err := ctx.Err(); err != nil {
				return outcome, err
			}
			if !o.Only.variant(v.Name) {
				continue
			}
			for _, t := range attemptsOf(decisive, v.Name, c.ID) {
				outcome.Attempts++
				b.trial(t)
			}
			for _, m := range s.Analysis.Missing {
				if m.Variant == v.Name && m.Cell == c.ID {
					b.lost("SKIP", benchmark(c.ID, v.Name), m.Block, "missing: "+s.Analysis.WhyMissing())
				}
			}
		}
	}
	// A bufio.Writer keeps its first error, which Flush returns.
	if err := b.out.Flush(); err != nil {
		return outcome, fmt.Errorf("writing the Go benchmark format: %w", err)
	}
	return outcome, nil
}

// benchLine is where a line of values ends and another begins: benchstat reads
// no line of 64 KiB. A reason is cut long before.
const (
	benchLine   = 16 << 10
	benchReason = 2000 // characters
)

type benchWriter struct {
	out *bufio.Writer
	set []string // keys of the configuration of the cell
}

func (b *benchWriter) line(format string, args ...any) {
	_, _ = fmt.Fprintf(b.out, format+"\n", args...)
}

// head writes which campaign it is, as a remark: as configuration it would
// keep benchstat from comparing two of them.
func (b *benchWriter) head(s Source) {
	p, m := s.Analysis.Plan, s.Environment.Machine
	b.line("# cnibench: %s, plan %s", prose.Printable(p.Name), prose.Printable(p.Hash))
	for _, fact := range [][2]string{{"topology", s.Environment.Topology}, {"kernel", m.Kernel}, {"cpu", m.CPU}} {
		if fact[1] != "" {
			b.line("%s: %s", fact[0], prose.Printable(fact[1]))
		}
	}
}

// units says of every metric in which direction it improves.
func (b *benchWriter) units(a analysis.Analysis, only Selection) {
	said := map[string]bool{}
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			partial := slices.ContainsFunc(m.Arms, func(arm analysis.Arm) bool { return len(arm.Partial) > 0 })
			for _, unit := range []string{benchUnit(m.Metric, false), benchUnit(m.Metric, true)} {
				if only.cell(c.ID) && !said[unit] && (unit == benchUnit(m.Metric, false) || partial) {
					said[unit] = true
					b.line("Unit %s better=%s", unit, m.Better)
				}
			}
		}
	}
}

// configKey is what benchstat takes for the key of a configuration.
var configKey = regexp.MustCompile(`^[a-z][^\sA-Z:]*$`)

// configure sets the configuration of a cell, and unsets that of the last.
func (b *benchWriter) configure(c analysis.Cell) {
	set := map[string]string{"scenario": c.Scenario}
	for name, value := range c.Parameters {
		if configKey.MatchString(name) {
			set[name] = value
		}
	}
	for _, name := range b.set {
		if set[name] == "" {
			b.line("%s:", name)
		}
	}
	b.set = slices.Sorted(maps.Keys(set))
	for _, name := range b.set {
		b.line("%s: %s", name, prose.Printable(set[name]))
	}
}

func (b *benchWriter) trial(t result.Trial) {
	name := benchmark(t.Cell, t.Variant)
	switch t.Status {
	case result.OK:
	case result.Unsupported:
		b.lost("SKIP", name, t.Block, "unsupported: "+t.Reason)
		return
	default:
		b.lost("FAIL", name, t.Block, string(t.Status)+": "+t.Reason)
		return
	}
	line := ""
	for _, v := range t.Values {
		line += " " + strconv.FormatFloat(v.Value, 'g', -1, 64) + " " + benchUnit(v.Metric, v.Partial != "")
		if len(line) > benchLine {
			b.line("%s 1%s", name, line)
			line = ""
		}
	}
	if line != "" {
		b.line("%s 1%s", name, line)
	}
	for _, metric := range slices.Sorted(maps.Keys(t.Missing)) {
		b.line("    block %d: no %s: %s", t.Block, prose.Printable(metric), prose.Printable(t.Missing[metric]))
	}
}

// lost writes what gave no result as go test writes it: benchstat passes over
// it.
func (b *benchWriter) lost(how, name string, block int, reason string) {
	if text := []rune(reason); len(text) > benchReason {
		reason = string(text[:benchReason]) + "…"
	}
	b.line("--- %s: %s\n    block %d: %s", how, name, block, prose.Printable(reason))
}

// benchmark is the name of a cell and a variant: BenchmarkTcp-pod/variant=host.
func benchmark(cell, variant string) string {
	name := benchName(cell)
	if first, size := firstRune(name); unicode.IsLower(first) {
		name = string(unicode.ToUpper(first)) + name[size:]
	}
	return "Benchmark" + name + "/variant=" + benchName(variant)
}

func firstRune(s string) (first rune, size int) {
	for _, r := range s {
		return r, len(string(r))
	}
	return 0, 0
}

// procs is an end of a name that would be taken for GOMAXPROCS.
var procs = regexp.MustCompile(`-([0-9]+)$`)

// benchName escapes, as in a URL, what ends a name or a part of it.
func benchName(s string) string {
	return procs.ReplaceAllString(benchEscape(s, "/%"), "%2D$1")
}

// benchEscape escapes what is not graphic, blanks, and the bytes of more.
func benchEscape(s, more string) string {
	var b strings.Builder
	for _, r := range valid(s) {
		if unicode.IsSpace(r) || !strconv.IsGraphic(r) || strings.ContainsRune(more, r) {
			b.WriteString(strings.ReplaceAll(url.QueryEscape(string(r)), "+", "%20"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// benchUnits are units as benchstat knows them: it scales them by 1000, or by
// 1024 where they count bytes.
var benchUnits = map[string]string{"s": "sec", "bytes": "B", "percent": "percent"}

// benchUnit is a metric and its unit. What leaves a part out is no measurement
// of the whole, and has a name of its own.
func benchUnit(m result.Metric, partial bool) string {
	unit := cmp.Or(benchUnits[m.Unit], m.Unit)
	if whole, per, is := strings.Cut(unit, " per "); is {
		unit = whole + "/(" + per + ")"
	}
	name := m.Name
	if partial {
		name += "-partial"
	}
	if unit != "" {
		name += "-" + unit
	}
	return benchEscape(name, "")
}
