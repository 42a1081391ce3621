package sample

import (
	"errors"
	"fmt"
	"time"
)

// Window is a span of wall-clock time.
type Window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Duration is the length of w.
func (w Window) Duration() time.Duration { return w.End.Sub(w.Start) }

func (w Window) String() string {
	const layout = "15:04:05.000000"
	return w.Start.UTC().Format(layout) + "–" + w.End.UTC().Format(layout)
}

// Intersect returns the span that all windows have in common. It is an error
// if there is none.
func Intersect(windows ...Window) (Window, error) {
	if len(windows) == 0 {
		return Window{}, errors.New("intersection of no windows")
	}
	common := windows[0]
	for _, w := range windows[1:] {
		if w.Start.After(common.Start) {
			common.Start = w.Start
		}
		if w.End.Before(common.End) {
			common.End = w.End
		}
	}
	if !common.Start.Before(common.End) {
		return Window{}, fmt.Errorf("windows %v have no time in common", windows)
	}
	return common, nil
}
