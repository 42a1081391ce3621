package probe

// Effect is when a target began to be reached for good, or to be reached no
// more, as attempts in a row show it. Times are seconds since the watch's
// start: the change came after Before and not after At. Packets travel from
// within an attempt's At to its Sent, so the bracket takes the outer ends.
type Effect struct {
	Before float64 `json:"before"` // the last attempt with the old outcome
	At     float64 `json:"at"`     // the first attempt from which on all have the new one
	// Known is false where no attempt had the old outcome: the change came
	// before all of them, and Before is 0.
	Known bool `json:"known"`
	// Strays are attempts with the new outcome that one with the old outcome
	// followed.
	Strays int `json:"strays"`
}

// Width is how exactly the moment is known, in seconds.
func (e Effect) Width() float64 { return e.At - e.Before }

// FindEffect looks for the change in attempts that are in order. It takes the
// last change, so that an effect which came and went counts from when it
// stayed. It returns false if the last attempt has the old outcome or there is
// none.
func FindEffect(attempts []Attempt, reached bool) (Effect, bool) {
	first := len(attempts)
	for first > 0 && attempts[first-1].OK() == reached {
		first--
	}
	if first == len(attempts) {
		return Effect{}, false
	}
	e := Effect{At: attempts[first].Sent}
	if first == 0 {
		return e, true
	}
	e.Before, e.Known = attempts[first-1].At, true
	for _, a := range attempts[:first] {
		if a.OK() == reached {
			e.Strays++
		}
	}
	return e, true
}

// Since returns the attempts that began at or after a moment, in seconds since
// the watch's start, and the one before them.
func Since(attempts []Attempt, at float64) []Attempt {
	for i, a := range attempts {
		if a.At >= at {
			return attempts[max(i-1, 0):]
		}
	}
	return attempts[max(len(attempts)-1, 0):]
}
