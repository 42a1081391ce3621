package openmetrics

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxLine bounds a line; a series of a probe has nothing near it.
const maxLine = 1 << 20

// Read reads what [Write] writes, and nothing else: counters and gauges, each
// with its HELP and TYPE, a timestamp on every sample, and "# EOF" at the end,
// so that a file cut short is noticed. Errors name the line. Given names of
// families, it returns only those; samples of others are skipped unread, which
// is most of the work of a file of many.
func Read(r io.Reader, only ...string) ([]Family, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	lines.Split(splitLine)
	d := decoder{only: only}
	for number := 1; lines.Scan(); number++ {
		if d.skipping && !d.ended && !bytes.HasPrefix(lines.Bytes(), []byte("#")) {
			continue
		}
		if d.ended {
			return nil, fmt.Errorf("reading OpenMetrics, line %d: text after # EOF", number)
		}
		if err := d.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("reading OpenMetrics, line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading OpenMetrics: %w", err)
	}
	if !d.ended {
		return nil, errors.New("reading OpenMetrics: no # EOF at the end, the text is cut short")
	}
	return slices.DeleteFunc(d.families, func(f Family) bool { return !d.wants(f.Name) }), nil
}

// splitLine is bufio.ScanLines, but for a carriage return at the end of a
// line, which may be part of a help text.
func splitLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

type decoder struct {
	families []Family
	names    map[string]bool
	ended    bool
	only     []string // empty: all
	skipping bool     // the samples of a family that nobody wants
}

func (d *decoder) wants(name string) bool { return len(d.only) == 0 || slices.Contains(d.only, name) }

func (d *decoder) line(line string) error {
	if line == "# EOF" {
		d.ended = true
		return d.finishFamily()
	}
	comment, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return d.sample(line)
	}
	keyword, rest, _ := strings.Cut(comment, " ")
	name, text, _ := strings.Cut(rest, " ")
	if keyword == "HELP" {
		return d.startFamily(name, text)
	}
	if len(d.families) == 0 || d.current().Name != name {
		return fmt.Errorf("%s of %q does not follow its HELP", keyword, name)
	}
	switch keyword {
	case "TYPE":
		d.current().Type = Type(text)
	case "UNIT":
		d.current().Unit = text
	default:
		return fmt.Errorf("%q is no OpenMetrics comment", line)
	}
	return nil
}

func (d *decoder) current() *Family { return &d.families[len(d.families)-1] }

func (d *decoder) startFamily(name, help string) error {
	if err := d.finishFamily(); err != nil {
		return err
	}
	if d.names[name] {
		return fmt.Errorf("metric %s comes twice", name)
	}
	if d.names == nil {
		d.names = map[string]bool{}
	}
	d.names[name] = true
	text, err := unescape(help)
	if err != nil {
		return err
	}
	d.families = append(d.families, Family{Name: name, Help: text})
	d.skipping = !d.wants(name)
	return nil
}

// finishFamily checks the family that is complete now.
func (d *decoder) finishFamily() error {
	if len(d.families) == 0 || d.skipping {
		return nil
	}
	return d.current().validate()
}

// sample adds a line NAME{LABELS} VALUE TIMESTAMP to the current family.
func (d *decoder) sample(line string) error {
	if len(d.families) == 0 {
		return fmt.Errorf("%q comes before any HELP", line)
	}
	f := d.current()
	name := f.Name
	if f.Type == Counter {
		name += "_total"
	}
	rest, ok := strings.CutPrefix(line, name)
	if !ok {
		return fmt.Errorf("%q is no sample of %s", line, name)
	}
	labels, rest, err := parseLabels(rest)
	if err != nil {
		return err
	}
	point, err := parsePoint(rest)
	if err != nil {
		return err
	}
	next := Series{Labels: labels, Points: []Point{point}}
	if n := len(f.Series); n > 0 && f.Series[n-1].key() == next.key() {
		f.Series[n-1].Points = append(f.Series[n-1].Points, point)
		return nil
	}
	f.Series = append(f.Series, next)
	return nil
}
