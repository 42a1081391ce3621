package record

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cnibench/cnibench/internal/probe/recording"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// widest is how many characters a sparkline has at most.
const widest = 40

// shortest is the phase whose CPU time is told: ten steps in which the kernel
// counts it. In less, one step more or less is most of the figure.
const shortest = 100 * time.Millisecond

// row is a line of the summary: a rate, or a state.
type row struct {
	name, unit string
	// counter is what a rate is the rate of, state what is shown as it is; one
	// of them is nil. Both say whether the sample has it.
	counter func(*sample.Sample) (float64, bool)
	state   func(*sample.Sample) (float64, bool)
	scale   float64 // from the counter's unit to the shown one
	binary  bool    // steps of 1024
	ticks   bool    // the kernel counts it in steps of 10 ms
}

// writeSummary tells a reader what was recorded.
func (t *timeline) writeSummary(w io.Writer) error {
	text := &strings.Builder{}
	t.heading(text)
	header := []string{""}
	for _, p := range Phases() {
		if _, ok := t.window(p); ok {
			header = append(header, string(p))
		}
	}
	lines := [][]string{append(header, "", "")}
	for _, r := range t.rows() {
		if cells := t.line(r); cells != nil {
			lines = append(lines, cells)
		}
	}
	align(text, lines)
	_, err := io.WriteString(w, text.String())
	return err
}

// align writes cells in columns: names and sparklines begin together, figures
// end together. All lines have as many cells.
func align(w *strings.Builder, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, cells := range lines {
		line := ""
		for i, cell := range cells {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if leading := i == 0 || i >= len(cells)-2; leading {
				line += cell + space + "  "
			} else {
				line += space + cell + "  "
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// heading says what ran and how it ended.
func (t *timeline) heading(w *strings.Builder) {
	what := strings.Join(t.plan.Argv, " ")
	if runes := []rune(what); len(runes) > 60 {
		what = string(runes[:59]) + "…"
	}
	switch {
	case t.started == never:
		fmt.Fprintf(w, "%s: not started\n", what)
	case t.command == nil:
		fmt.Fprintf(w, "%s: recorded for %v of its run\n", what, seconds(t.duration()))
	default:
		fmt.Fprintf(w, "%s: %s after %v\n", what, describeEnd(*t.command), seconds(t.duration()))
	}
	if m := t.meeting; m != nil {
		fmt.Fprintf(w, "%s, began together with %s within %v", t.plan.Role(), m.Other, m.Within.Round(time.Microsecond))
		if m.Late >= time.Millisecond {
			fmt.Fprintf(w, ", this end %v late", m.Late.Round(time.Microsecond))
		}
		fmt.Fprintln(w)
	}
	if t.step > 50*time.Millisecond {
		fmt.Fprintf(w, "the clock was set by %v meanwhile; times are the monotonic clock's\n", t.step.Round(time.Millisecond))
	}
}

func describeEnd(c recording.Command) string {
	end := fmt.Sprintf("exit status %d", c.Status)
	if c.Signal != "" {
		end = "ended by " + c.Signal
	}
	if c.Stopped {
		end += ", asked to end because the other end's command had"
	}
	return end
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func (t *timeline) rows() []row {
	cpu := func(name string, of func(sample.Modes) float64) row {
		return row{name: name, unit: "cores", scale: 1, ticks: true, counter: func(s *sample.Sample) (float64, bool) { return of(s.CPU), true }}
	}
	rows := []row{
		cpu("CPU busy, cores", sample.Modes.Busy),
		cpu("  user", func(m sample.Modes) float64 { return m.User + m.Nice }),
		cpu("  system", func(m sample.Modes) float64 { return m.System }),
		cpu("  interrupts", func(m sample.Modes) float64 { return m.SoftIRQ + m.IRQ }),
		cpu("  steal", func(m sample.Modes) float64 { return m.Steal }),
		{name: "memory used", unit: "B", scale: 1, binary: true,
			state: func(s *sample.Sample) (float64, bool) {
				if s.Memory == nil {
					return 0, false
				}
				return float64(s.Memory.Used()), true
			}},
	}
	for _, name := range t.busiestInterfaces(3) {
		rows = append(rows, traffic(name+" sent", name, func(t sample.Traffic) uint64 { return t.TxBytes }),
			traffic(name+" received", name, func(t sample.Traffic) uint64 { return t.RxBytes }))
	}
	return append(rows,
		row{name: "TCP retransmits", unit: "/s", scale: 1, counter: func(s *sample.Sample) (float64, bool) {
			if s.Protocols == nil {
				return 0, false
			}
			n, ok := s.Protocols.TCP["RetransSegs"]
			return float64(n), ok
		}},
		row{name: "context switches", unit: "/s", scale: 1,
			counter: func(s *sample.Sample) (float64, bool) { return float64(s.ContextSwitches), true }},
		row{name: "this recorder, cores", unit: "cores", scale: 1, counter: func(s *sample.Sample) (float64, bool) { return s.Own, true }})
}

func traffic(title, name string, of func(sample.Traffic) uint64) row {
	return row{name: title, unit: "bit/s", scale: 8, counter: func(s *sample.Sample) (float64, bool) {
		t, ok := s.Interfaces[name]
		return float64(of(t)), ok
	}}
}

// busiestInterfaces are those that carried most, if they carried anything.
func (t *timeline) busiestInterfaces(n int) []string {
	carried := func(name string) uint64 {
		first, last := t.first().Interfaces[name], t.last().Interfaces[name]
		return last.RxBytes + last.TxBytes - min(first.RxBytes+first.TxBytes, last.RxBytes+last.TxBytes)
	}
	names := slices.DeleteFunc(interfaces(t.series), func(name string) bool { return carried(name) == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return int(min(max(float64(carried(b))-float64(carried(a)), -1), 1)) })
	return names[:min(n, len(names))]
}

// line is a row's mean in each phase, then its course and what that goes from
// and to. It is nil for what this machine does not have.
func (t *timeline) line(r row) []string {
	spans := t.spans(r)
	if len(spans) == 0 {
		return nil
	}
	cells := []string{r.name}
	for _, p := range Phases() {
		if window, ok := t.window(p); ok {
			from := window.Start.Sub(t.first().At)
			mean := bin(clip(spans, from, from+window.Duration()), from+window.Duration(), 1)[0]
			if r.ticks && window.Duration() < shortest {
				mean = math.NaN()
			}
			cells = append(cells, r.show(mean))
		}
	}
	length := t.last().Mono - t.origin
	width := min(max(int(length/t.plan.Every), 1), widest)
	low, high := extremes(spans, length, width)
	if r.state == nil {
		low = 0
	}
	return append(cells, sparkline(spans, length, width, low, high), r.show(low)+" … "+r.show(high))
}

// clip cuts spans to a part of the recording.
func clip(spans []span, from, to time.Duration) []span {
	var in []span
	for _, s := range spans {
		s.from, s.to = max(s.from, from), min(s.to, to)
		if s.to > s.from {
			in = append(in, s)
		}
	}
	return in
}

// spans are the values of a row between samples. A counter that went back, or
// that a sample lacks, leaves a gap.
func (t *timeline) spans(r row) []span {
	var spans []span
	for i := 1; i < len(t.series.Samples); i++ {
		a, b := &t.series.Samples[i-1], &t.series.Samples[i]
		s := span{from: a.Mono - t.origin, to: b.Mono - t.origin}
		of := r.counter
		if of == nil {
			of = r.state
		}
		before, ok := of(a)
		after, too := of(b)
		if r.counter != nil {
			s.value = (after - before) * r.scale / (s.to - s.from).Seconds()
			ok = ok && after >= before
		} else {
			s.value = (before + after) / 2 * r.scale
		}
		if ok && too {
			spans = append(spans, s)
		}
	}
	return spans
}

// show prints a value with three digits and its unit.
func (r row) show(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	if r.unit == "cores" {
		return fmt.Sprintf("%.3f", v)
	}
	step, prefixes := 1000.0, []string{"", "k", "M", "G", "T"}
	if r.binary {
		step, prefixes = 1024, []string{"", "Ki", "Mi", "Gi", "Ti"}
	}
	i := 0
	for v >= step && i < len(prefixes)-1 {
		v, i = v/step, i+1
	}
	digits := 2
	if v >= 10 {
		digits = 1
	}
	if v >= 100 || v == 0 {
		digits = 0
	}
	return fmt.Sprintf("%.*f %s%s", digits, v, prefixes[i], r.unit)
}
