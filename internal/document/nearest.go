package document

import (
	"fmt"
	"strings"
)

// DidYouMean returns a hint with the valid name nearest to word, or otherwise
// when none is near.
func DidYouMean(word string, valid []string, otherwise string) string {
	if name, ok := Nearest(word, valid); ok {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return otherwise
}

// Nearest returns the first of the names with the least edit distance to word
// and whether that is close enough for a slip of the keyboard: a third of the
// word, at least two edits, one in a very short word.
func Nearest(word string, names []string) (string, bool) {
	limit := max(2, len(word)/3)
	if len(word) <= 3 {
		limit = 1
	}
	word = strings.ToLower(word)
	best, least := "", limit+1
	for _, name := range names {
		if d := distance(word, strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best, least <= limit
}

// distance is the Levenshtein distance of a and b in bytes: valid names are
// ASCII.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
