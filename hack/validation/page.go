package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cnibench/cnibench/internal/stats"
)

// writePage evaluates the tables and puts what they say between the page's
// marks; what is written by hand around them stays.
func writePage(s settings) error {
	parts, err := evaluate(s)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(s.page)
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	page, err := fill(string(old), parts)
	if err != nil {
		return fmt.Errorf("%s: %w", s.page, err)
	}
	for _, p := range parts {
		if p.plot != "" {
			if err := writeFile(filepath.Join(s.data, p.mark+".svg"), text(p.plot)); err != nil {
				return err
			}
		}
		s.say("\n%s\n\n%s", p.mark, p.text)
	}
	return writeFile(s.page, text(page))
}

func text(t string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, t)
		return err
	}
}

// part is what stands between two marks of the page, and its plot as SVG, if
// there is one.
type part struct{ mark, text, plot string }

const notRun = "**Not run yet.**\n"

// evaluate says what the tables say. It depends on them alone.
func evaluate(s settings) ([]part, error) {
	var parts []part
	unshaped := 0.0
	for _, k := range []kind{aa, free} {
		j, twinParts, err := evaluateTwins(s, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.table(k), err)
		}
		parts, unshaped = append(parts, twinParts...), j.bitrate // that of free, which is last
	}
	table, err := readTable(s, shaped)
	if err != nil {
		return nil, err
	}
	f, err := judgeShaped(table)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.table(shaped), err)
	}
	said, err := f.text(unshaped)
	return append(parts, part{mark: shaped.name, text: said}), err
}

// evaluateTwins returns what an A/A series says, and the power at its noise.
func evaluateTwins(s settings, k kind) (twins, []part, error) {
	power := "power-" + k.name
	table, err := readTable(s, k)
	if err != nil {
		return twins{}, nil, err
	}
	if len(table.Comparisons(0, 1, comparison)) == 0 {
		return twins{}, []part{{mark: k.name, text: notRun}, {mark: power, text: notRun}}, nil
	}
	j, err := judgeTwins(table)
	if err != nil {
		return twins{}, nil, err
	}
	plot, err := j.plot()
	if err != nil {
		return twins{}, nil, err
	}
	claims, err := simulate(j.differences, comparison, 0, 1)
	if err != nil {
		return twins{}, nil, err
	}
	chance := float64(claims[stats.Better]+claims[stats.Worse]) / powerSamples
	found, err := powerTable(j.differences, 1)
	return j, []part{{k.name, j.text(chance), plot}, {mark: power, text: found}}, err
}

// fill replaces what stands between <!-- NAME: … --> and <!-- end NAME -->.
func fill(page string, parts []part) (string, error) {
	for _, p := range parts {
		begin, end := "<!-- "+p.mark+":", "<!-- end "+p.mark+" -->"
		from := strings.Index(page, begin)
		to := strings.Index(page, end)
		if from < 0 || to < from {
			return "", errors.New("there must be a line " + begin + " … --> and a line " + end + " after it")
		}
		from += strings.Index(page[from:], "-->") + len("-->")
		page = page[:from] + "\n" + p.text + page[to:]
	}
	return page, nil
}
