// Package advice attaches to an error what the user can do about it.
package advice

// Error is a problem with its remedy. Printers that know the method Hint show
// the two on separate lines.
type Error struct {
	Err    error
	Remedy string // one sentence, names the flag, file or program to change
}

// Error tells the problem alone.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the problem.
func (e *Error) Unwrap() error { return e.Err }

// Hint tells the remedy.
func (e *Error) Hint() string { return e.Remedy }

// Wrap adds a remedy to err, or returns nil for nil.
func Wrap(err error, remedy string) error {
	if err == nil {
		return nil
	}
	return &Error{Err: err, Remedy: remedy}
}
