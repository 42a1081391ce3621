package importer

import "fmt"

// Problem is what is wrong with a source, where, and what to change there.
type Problem struct {
	File string // as the user can open it
	Line int    // from 1; 0: the file as a whole
	What string
	Fix  string
	// Option is set when not the source is wrong, but what was asked of it.
	Option bool
}

// Error has the form "file:line: what".
func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.What)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
}

// Hint returns what to change.
func (p *Problem) Hint() string { return p.Fix }
