package stage

import "github.com/cnibench/cnibench/internal/result"

// Measurement is what an ok trial brings home.
type Measurement struct {
	Window result.Window
	Values []result.Value
	// Missing says why metrics that the scenario reports are not in Values.
	Missing map[string]string
	Marks   []result.Mark
	Facts   map[string]string
	// Conditions are those of the machines in the window, by node.
	Conditions map[string]result.Condition
}

// InvalidError says that something was measured, but that the environment
// spoilt it.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

// UnsupportedError says that this variant or cluster cannot do what the
// scenario needs.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }

// AlteredError says that a trial left the variant other than it was installed:
// what would be measured next on that installation is not the variant.
type AlteredError struct{ Err error }

func (e *AlteredError) Error() string { return e.Err.Error() }

func (e *AlteredError) Unwrap() error { return e.Err }
