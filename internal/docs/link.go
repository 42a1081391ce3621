package docs

import (
	"regexp"
	"strings"
	"unicode"
)

var linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links lists the targets of a page's links and pictures that lie in the
// repository: a path, an #anchor, or both.
func Links(prose string) []string {
	var targets []string
	for _, m := range linkTarget.FindAllStringSubmatch(prose, -1) {
		if !strings.Contains(m[1], "://") {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// Anchors lists the anchors of a page's headings, made as GitHub makes them:
// lower case, blanks as dashes, punctuation left out.
func Anchors(prose string) []string {
	var anchors []string
	for line := range strings.Lines(prose) {
		text := strings.TrimLeft(line, "#")
		if text == line || !strings.HasPrefix(text, " ") {
			continue
		}
		anchors = append(anchors, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(text)))
	}
	return anchors
}
