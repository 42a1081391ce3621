package run

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/validity"
)

// repeats is how often an invalid block is measured again by itself. One that
// is invalid then, too, stays so.
const repeats = 1

// need is what a block needs before it is settled, besides trials without any
// attempt: attempts to take back, or else trials to measure again.
type need struct {
	void    []result.Trial
	reason  string // why, ready for the journal
	measure []plan.Trial
}

// history is what became of one planned trial.
type history struct {
	plan  plan.Trial
	last  result.Trial // Attempt 0: none
	voids int
}

// taken says that the last attempt was taken back and no other followed.
func (h history) taken() bool { return h.last.Voids > 0 }

// settled says that the trial is what it is in every round.
func (h history) settled() bool { return h.last.Status == result.Unsupported }

// needOf follows from the journal alone, so that a run can end between any two
// of its lines: a block is judged once all its trials have an attempt; if it is
// invalid all of them are taken back, and then it is measured again.
func needOf(planned []plan.Trial, trials []result.Trial, rules plan.Validity) need {
	all, rounds, missing := histories(planned, trials)
	if late := unmarked(all, rounds); len(late) > 0 {
		return need{void: late, reason: lastMark(trials)}
	}
	if missing {
		return need{}
	}
	var taken, measured []plan.Trial
	var decisive, attempts []result.Trial
	for _, h := range all {
		decisive = append(decisive, h.last)
		switch {
		case h.settled():
		case h.taken():
			taken = append(taken, h.plan)
		default:
			measured, attempts = append(measured, h.plan), append(attempts, h.last)
		}
	}
	switch {
	case len(taken) > 0 && (rounds <= repeats || len(measured) > 0): // a round that began is finished
		return need{measure: taken}
	case len(taken) > 0 || len(measured) == 0:
		return need{}
	}
	if reason := validity.Judge(rules, decisive); reason != "" {
		return need{void: attempts, reason: fmt.Sprintf("block %d: %s", attempts[0].Block, reason)}
	}
	return need{}
}

// histories returns what became of a block's trials, in the plan's order, how
// often the block was taken back, and whether a trial has no attempt.
func histories(planned []plan.Trial, trials []result.Trial) (all []history, rounds int, missing bool) {
	voids, last := result.Voids(trials), map[result.Key]result.Trial{}
	for _, t := range result.LastAttempts(trials) {
		last[t.Key()] = t
	}
	for _, p := range planned {
		key := result.KeyOf(p)
		all = append(all, history{p, last[key], voids[key]})
		rounds = max(rounds, voids[key])
		missing = missing || last[key].Attempt == 0
	}
	return all, rounds, missing
}

// unmarked are the attempts that should have been taken back with the others
// when the run ended.
func unmarked(all []history, rounds int) []result.Trial {
	var late []result.Trial
	for _, h := range all {
		if h.last.Attempt > 0 && !h.settled() && !h.taken() && h.voids < rounds {
			late = append(late, h.last)
		}
	}
	return late
}

// lastMark is the reason of the last attempt that took another back.
func lastMark(trials []result.Trial) string {
	for _, t := range slices.Backward(trials) {
		if t.Voids > 0 {
			return t.Reason
		}
	}
	return ""
}
