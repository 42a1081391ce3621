package prose

import (
	"strings"
	"unicode/utf8"
)

// Width is the width in columns that running text is broken at.
const Width = 96

// Lines breaks a text into lines of at most width characters, unless a single
// word is longer. Lines never end between a number and its %.
func Lines(text string, width int) []string { return fill(text, width, width) }

// Paragraph lays out a text with an indentation, to which lines after the first
// add two more columns, and with a newline at its end.
func Paragraph(indent, text string) string {
	if strings.TrimSpace(text) == "" {
		return "\n"
	}
	room := Width - utf8.RuneCountInString(indent)
	return indent + strings.Join(fill(text, room, room-2), "\n"+indent+"  ") + "\n"
}

// fill breaks a text into lines with room for so many characters in the first
// and in the others.
func fill(text string, first, others int) []string {
	var lines []string
	line, room := "", first
	for _, word := range words(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			lines, line, room = append(lines, line), "", others
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// words splits a text where a line may end.
func words(text string) []string {
	var list []string
	for _, word := range strings.Fields(text) {
		if len(list) > 0 && strings.HasPrefix(word, "%") {
			list[len(list)-1] += " " + word
		} else {
			list = append(list, word)
		}
	}
	return list
}
