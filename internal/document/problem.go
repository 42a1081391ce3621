package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a file. Line and Column
// count from 1; Column is 0 where the YAML parser does not tell it.
type Problem struct {
	File    string
	Line    int
	Column  int
	Message string
	Hint    string // the fix
}

// String is "FILE:LINE:COLUMN: MESSAGE" and, on a line of its own, the hint.
func (p Problem) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:", p.File, p.Line)
	if p.Column > 0 {
		fmt.Fprintf(&b, "%d:", p.Column)
	}
	fmt.Fprintf(&b, " %s", p.Message)
	if p.Hint != "" {
		fmt.Fprintf(&b, "\n    hint: %s", p.Hint)
	}
	return b.String()
}

// Problems is everything that is wrong with a file, in the order of
// its lines. It is the error of who reads the file.
type Problems []Problem

// Error lists all problems, one after the other.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// InOrder sorts by place in the file and drops repetitions: what an alias
// points to is checked once for every use.
func (ps Problems) InOrder() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Message, b.Message), cmp.Compare(a.Hint, b.Hint),
		)
	})
	return slices.Compact(ps)
}
