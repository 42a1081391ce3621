package importer

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// placeholders of a pattern, with what each stands for.
var placeholders = map[string]string{
	"{variant}": `(?P<variant>[^/]+?)`, "{scenario}": `(?P<scenario>[^/]+?)`, "{block}": `(?P<block>[0-9]{1,9})`,
	"{role}": `(?P<role>client|server)`,
}

// pattern tells by the path of a file what it is.
type pattern struct {
	text string
	re   *regexp.Regexp
}

// place is what a path says. What it does not say is empty, and 0.
type place struct {
	variant, scenario, role string
	block                   int
}

// newPattern reads a pattern such as "{variant}/{scenario}-{block}.json". It
// is matched against a path below the source, and * stands for any text
// without a slash.
func newPattern(text string) (pattern, error) {
	var b strings.Builder
	b.WriteString("^")
	rest := text
	for rest != "" {
		if rest[0] == '*' {
			b.WriteString(`[^/]*`)
			rest = rest[1:]
			continue
		}
		if rest[0] == '{' {
			name, _, closed := strings.Cut(rest, "}")
			expression, known := placeholders[name+"}"]
			if !closed || !known || strings.Contains(b.String(), expression) {
				return pattern{}, fmt.Errorf("pattern %q: %s} is there twice or is none of {variant}, {scenario}, {block}, {role}", text, name)
			}
			b.WriteString(expression)
			rest = rest[len(name)+1:]
			continue
		}
		next := strings.IndexAny(rest[1:], "{*") + 1
		if next == 0 {
			next = len(rest)
		}
		b.WriteString(regexp.QuoteMeta(rest[:next]))
		rest = rest[next:]
	}
	if !strings.Contains(text, "{variant}") {
		return pattern{}, fmt.Errorf("pattern %q has no {variant}", text)
	}
	re, err := regexp.Compile(b.String() + "$")
	if err != nil {
		return pattern{}, fmt.Errorf("pattern %q: %w", text, err)
	}
	return pattern{text, re}, nil
}

// place reads a path; false when the pattern does not fit.
func (p pattern) place(file string) (place, bool) {
	groups := p.re.FindStringSubmatch(file)
	if groups == nil {
		return place{}, false
	}
	var at place
	for i, name := range p.re.SubexpNames() {
		switch name {
		case "variant":
			at.variant = groups[i]
		case "scenario":
			at.scenario = groups[i]
		case "role":
			at.role = groups[i]
		case "block":
			at.block, _ = strconv.Atoi(groups[i]) // digits, few enough
		}
	}
	return at, true
}

// places finds out what every file is, by the user's pattern or by its
// directories: VARIANT/BLOCK, VARIANT/SCENARIO/BLOCK, or a single file.
func (s *source) places(files []string, text string) (map[string]place, error) {
	all := make(map[string]place, len(files))
	var p pattern
	if text != "" {
		var err error
		if p, err = newPattern(text); err != nil {
			return nil, &Problem{File: s.path, What: err.Error(), Fix: "--name takes a pattern such as {variant}/{scenario}-{block}.json"}
		}
	}
	for _, file := range files {
		at, ok := place{}, false
		switch {
		case text != "":
			at, ok = p.place(file)
		case s.only != "":
			at, ok = place{variant: strings.TrimSuffix(file, path.Ext(file)), block: 1}, true
		default:
			at, ok = byDirectory(file)
		}
		if at.block == 0 && !strings.Contains(text, "{block}") {
			at.block = 1
		}
		if !ok || at.block < 1 {
			want := "VARIANT/BLOCK or VARIANT/SCENARIO/BLOCK, with blocks numbered from 1"
			if text != "" {
				want = text
			}
			return nil, s.problem(file, 0, "name the files so, or say how they are named with --name, such as --name '{variant}-{scenario}-{block}.json'",
				"its path is not of the form %s", want)
		}
		all[file] = at
	}
	return all, nil
}

func byDirectory(file string) (place, bool) {
	parts := strings.Split(strings.TrimSuffix(file, path.Ext(file)), "/")
	block, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil || block < 1 || block > 1e9 {
		return place{}, false
	}
	switch len(parts) {
	case 2:
		return place{variant: parts[0], block: block}, true
	case 3:
		return place{variant: parts[0], scenario: parts[1], block: block}, true
	}
	return place{}, false
}
