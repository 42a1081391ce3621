package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Bounds of a file of series: what is beyond is no sampler's.
const (
	maxLine    = 64 << 10
	maxSamples = 200_000
)

// cpuModes are those of statexec, in the order of cpuTimes. User and nice
// contain the guests' time.
var cpuModes = []string{"user", "nice", "system", "irq", "softirq", "steal", "idle", "iowait", "guest", "guestNice"}

// busyModes is how many of cpuModes are busy CPU, from the first on.
const busyModes = 6

// cpuTimes are seconds of all CPUs together, by cpuModes.
type cpuTimes [10]float64

func (c cpuTimes) busy() float64 {
	var sum float64
	for _, x := range c[:busyModes] {
		sum += x
	}
	return sum
}

// series is what a file of statexec says about a machine.
type series struct {
	labels  map[string]string // of the first line: instance, role, id, run …
	samples []sample          // whole ones, by time
	torn    bool              // the file ends within a line
}

// sample is one reading of a machine.
type sample struct {
	stamp  int64 // milliseconds since 1970, by the sampler's own clock
	status int   // of the command: 0 pending, 1 running, 2 done; -1 not said
	cpu    cpuTimes
	lines  int // of CPU
	memory float64
	// hasMemory tells 0 from what is not there.
	hasMemory bool
}

// The lines that are read. The others are skipped without a look.
var (
	cpuLine    = []byte("statexec_cpu_seconds_total{")
	memoryLine = []byte("statexec_memory_used_bytes{")
	statusLine = []byte("statexec_command_status{")
)

// readSeries streams a file in the Prometheus text format, with milliseconds,
// or in OpenMetrics, with seconds. A line counts only with its end, and a
// sample only with all its CPUs: files are cut short anywhere.
func readSeries(r io.Reader) (series, error) {
	p := seriesParser{index: map[int64]int{}}
	in := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			p.torn = len(line) > 0
			return p.finish(), nil
		case errors.Is(err, bufio.ErrBufferFull):
			return series{}, &seriesError{p.line + 1, fmt.Errorf("it is longer than %d KiB", maxLine>>10)}
		case err != nil:
			return series{}, err
		}
		p.line++
		if err := p.parse(line[:len(line)-1]); err != nil {
			return series{}, &seriesError{p.line, err}
		}
	}
}

// seriesError is a line that no sampler writes.
type seriesError struct {
	line int
	err  error
}

func (e *seriesError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e *seriesError) Unwrap() error { return e.err }

type seriesParser struct {
	series
	line  int
	index map[int64]int // of a sample by stamp
	last  struct {      // what the line before said: most lines say the same
		text  []byte
		stamp int64
		at    int
	}
}

func (p *seriesParser) parse(line []byte) error {
	kind := byte(0)
	switch {
	case bytes.HasPrefix(line, cpuLine):
		kind = 'c'
	case bytes.HasPrefix(line, memoryLine):
		kind = 'm'
	case bytes.HasPrefix(line, statusLine):
		kind = 's'
	default:
		return nil
	}
	end := bytes.LastIndex(line, []byte("} "))
	if end < 0 {
		return errors.New("a series without a value")
	}
	labels, rest := line[bytes.IndexByte(line, '{')+1:end], line[end+2:]
	if p.labels == nil {
		p.labels = labelsOf(labels)
	}
	number, stamp, ok := bytes.Cut(rest, []byte(" "))
	if !ok || len(number) == 0 {
		return nil // an empty value prints as two blanks: then there is none
	}
	value, err := parseNumber(number)
	if err != nil {
		return fmt.Errorf("value %.40q is no number", number)
	}
	s, err := p.at(stamp)
	if err != nil {
		return err
	}
	switch kind {
	case 'c':
		mode := modeOf(labels)
		if mode < 0 {
			return nil
		}
		s.cpu[mode] += value
		s.lines++
	case 'm':
		s.memory, s.hasMemory = value, true
	case 's':
		s.status = int(value)
	}
	return nil
}

// at returns the sample of a time.
func (p *seriesParser) at(text []byte) (*sample, error) {
	if p.last.text != nil && bytes.Equal(text, p.last.text) {
		return &p.samples[p.last.at], nil
	}
	stamp, err := stampOf(text)
	if err != nil {
		return nil, err
	}
	i, known := p.index[stamp]
	if !known {
		if i = len(p.samples); i >= maxSamples {
			return nil, fmt.Errorf("more than %d samples", maxSamples)
		}
		p.samples = append(p.samples, sample{stamp: stamp, status: -1})
		p.index[stamp] = i
	}
	p.last.text, p.last.stamp, p.last.at = append(p.last.text[:0], text...), stamp, i
	return &p.samples[i], nil
}

// stampOf reads milliseconds, or seconds as OpenMetrics has them: with a point,
// or too few digits to be milliseconds of this century.
func stampOf(text []byte) (int64, error) {
	x, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
	if err != nil || !(x >= 0) || x > 1e15 {
		return 0, fmt.Errorf("time %.40q is none", text)
	}
	if bytes.IndexByte(text, '.') >= 0 || x < 1e11 {
		x *= 1000
	}
	return int64(x), nil
}

// modeOf finds the mode among labels, whose order is random; -1: unknown.
func modeOf(labels []byte) int {
	i := bytes.Index(labels, []byte(`mode="`))
	if i < 0 {
		return -1
	}
	value := labels[i+len(`mode="`):]
	for mode, name := range cpuModes {
		if len(value) > len(name) && value[len(name)] == '"' && string(value[:len(name)]) == name {
			return mode
		}
	}
	return -1
}

// parseNumber reads digits with a point without memory for it, as nearly all
// values are, and everything else as strconv does.
func parseNumber(text []byte) (float64, error) {
	if len(text) > 18 {
		return strconv.ParseFloat(string(text), 64)
	}
	var whole int64
	scale, point := 1.0, false
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			whole = 10*whole + int64(c-'0')
			if point {
				scale *= 10
			}
		case c == '.' && !point:
			point = true
		default:
			return strconv.ParseFloat(string(text), 64)
		}
	}
	if whole > 1<<53 {
		return strconv.ParseFloat(string(text), 64)
	}
	return float64(whole) / scale, nil
}

// labelsOf reads labels of the form a="b",c="d"; what has another form ends
// them.
func labelsOf(text []byte) map[string]string {
	labels := map[string]string{}
	for len(text) > 0 && len(labels) < 100 {
		name, rest, ok := bytes.Cut(text, []byte(`="`))
		value, rest, closed := bytes.Cut(rest, []byte(`"`))
		if !ok || !closed {
			break
		}
		labels[string(bytes.TrimLeft(name, ", "))] = string(value)
		text = rest
	}
	return labels
}

// finish drops samples that lack lines of CPUs which others have, and sorts.
func (p *seriesParser) finish() series {
	most := 0
	for _, s := range p.samples {
		most = max(most, s.lines)
	}
	p.samples = slices.DeleteFunc(p.samples, func(s sample) bool { return s.lines < most })
	slices.SortFunc(p.samples, func(a, b sample) int { return int(a.stamp - b.stamp) })
	return p.series
}

// phase returns when the command ran: from the first sample in which it does
// to the first in which it is done. Without either it is 0.
func (s series) phase() (from, to int64) {
	for _, x := range s.samples {
		if x.status >= 1 && from == 0 {
			from = x.stamp
		}
		if x.status >= 2 {
			return from, x.stamp
		}
	}
	return from, 0
}

// edge is how far from the ends of a window its samples may lie, in
// milliseconds: the sampler reads once a second.
const edge = 1500

// usage is what a machine did in a window.
type usage struct {
	cpu       cpuTimes // cores, mean
	memory    float64  // bytes, mean
	hasMemory bool
}

// between sums up a window, given in milliseconds of the sampler's clock. It
// fails when the file does not reach over the window, or what only rises falls.
func (s series) between(from, to int64) (usage, error) {
	if len(s.samples) == 0 {
		return usage{}, errors.New("the series have no whole sample of the CPUs")
	}
	first, last := s.samples[0], s.samples[len(s.samples)-1]
	inside := s.samples[:0:0]
	for _, x := range s.samples {
		if x.stamp >= from-edge && x.stamp <= from+edge && abs(x.stamp-from) < abs(first.stamp-from) {
			first = x
		}
		if abs(x.stamp-to) < abs(last.stamp-to) {
			last = x
		}
		if x.stamp >= from && x.stamp <= to {
			inside = append(inside, x)
		}
	}
	if abs(first.stamp-from) > edge || abs(last.stamp-to) > edge {
		what := "the series do not reach over the window"
		if s.torn {
			what = "the series are cut short"
		}
		return usage{}, fmt.Errorf("%s: they have %.0f s of the %.0f s from its start", what,
			max(0, float64(min(s.samples[len(s.samples)-1].stamp, to)-from))/1000, float64(to-from)/1000)
	}
	var u usage
	seconds := float64(last.stamp-first.stamp) / 1000
	for mode := range busyModes { // idle and iowait do fall, and are not counted
		if u.cpu[mode] = (last.cpu[mode] - first.cpu[mode]) / seconds; !(u.cpu[mode] >= 0) || seconds <= 0 {
			return usage{}, fmt.Errorf("the CPU time in mode %s falls within the window", cpuModes[mode])
		}
	}
	n := 0.0
	for _, x := range inside {
		if x.hasMemory {
			n++
			u.memory += (x.memory - u.memory) / n
		}
	}
	u.hasMemory = n > 0
	return u, nil
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// add sums the usage of two machines.
func (u usage) add(other usage) usage {
	for mode := range u.cpu {
		u.cpu[mode] += other.cpu[mode]
	}
	u.memory += other.memory
	u.hasMemory = u.hasMemory && other.hasMemory
	return u
}

// usage gives the trial what its machines did, in all modes; partial, when not
// empty, says in what way that is not the whole of it.
func (d *draft) usage(u usage, partial string) {
	d.add(cpu, u.cpu.busy(), partial)
	for _, part := range []struct {
		name  string
		cores float64
	}{
		{"user", u.cpu[0] + u.cpu[1]}, {"system", u.cpu[2]}, {"irq", u.cpu[3]}, {"softirq", u.cpu[4]}, {"steal", u.cpu[5]},
	} {
		d.add(cpuMode(part.name), part.cores, partial)
	}
	if u.hasMemory {
		d.add(memoryUsed, u.memory, partial)
	} else {
		d.lack(memoryUsed.Name, "the series have no memory in use")
	}
}

// perGbit divides the busy CPU by what was carried meanwhile.
func (d *draft) perGbit(carried, partial string) {
	busy, has := d.value(cpu.Name)
	bits, carries := d.value(carried)
	if has && carries {
		d.add(cpuPerGbit, 1000*busy/(bits/1e9), partial)
	} else if !has {
		d.lack(cpuPerGbit.Name, d.missing[cpu.Name])
	} else {
		d.lack(cpuPerGbit.Name, d.missing[carried])
	}
}
