package report

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// textWidth is the width that running text is broken at.
const textWidth = 96

// writeWrapped writes a paragraph; lines after the first are indented by two
// more columns.
func writeWrapped(b *bytes.Buffer, indent, text string) {
	column := 0
	for i, word := range words(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+width > textWidth:
			b.WriteString("\n" + indent + "  ")
			column = len(indent) + 2
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	b.WriteByte('\n')
}

// words splits a text where a line may end: never between a number and its %.
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
