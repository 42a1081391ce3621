package cli

import (
	"errors"

	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// hintOf finds what to do about an error: what the command said, or what the
// package knows that made the error.
func hintOf(err error) string {
	var e *exitError
	if errors.As(err, &e) && e.hint != "" {
		return e.hint
	}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	var unfit *lab.UnfitError
	var unsupported *stage.UnsupportedError
	switch {
	case errors.As(err, &unfit):
		return unfit.Hint
	case errors.As(err, &unsupported):
		return "`cnibench variants check` says of every variant what is missing"
	case errors.Is(err, lab.ErrTaken):
		return "choose another name, or end that lab with `cnibench lab down NAME`"
	case errors.Is(err, lab.ErrNotFound):
		return "`cnibench lab list` shows the labs there are"
	case errors.Is(err, result.ErrLocked):
		return "wait for the other run to end, or choose another directory with --out"
	case isUsage(err):
		return "`cnibench --help` lists the commands, `cnibench COMMAND --help` what each takes"
	}
	return ""
}

func isUnfit(err error) bool {
	var unfit *lab.UnfitError
	var unsupported *stage.UnsupportedError
	return errors.As(err, &unfit) || errors.As(err, &unsupported)
}
