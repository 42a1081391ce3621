package probe

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// attempts are one every 10 ms: + is reached, - is not.
func attempts(outcomes string) []Attempt {
	var all []Attempt
	for i, o := range outcomes {
		outcome := map[rune]string{'+': Reached, '-': ReachTimeout}[o]
		all = append(all, Attempt{At: float64(i) / 100, Sent: float64(i) / 100, Outcome: outcome})
	}
	return all
}

func TestFindEffect(t *testing.T) {
	for _, tt := range []struct {
		name, outcomes string
		reached        bool
		want           Effect
		found          bool
	}{
		{"denied after three", "+++---", false, Effect{Before: 0.02, At: 0.03, Known: true}, true},
		{"allowed after two", "--++", true, Effect{Before: 0.01, At: 0.02, Known: true}, true},
		// One that came and went counts from when it stayed.
		{"a connection slips through", "++-+--", false, Effect{Before: 0.03, At: 0.04, Known: true, Strays: 1}, true},
		{"from the first attempt on", "---", false, Effect{}, true},
		{"never", "+++", false, Effect{}, false},
		{"gone again", "---+", false, Effect{}, false},
		{"no attempt", "", true, Effect{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, found := FindEffect(attempts(tt.outcomes), tt.reached)
			if diff := cmp.Diff(tt.want, got); diff != "" || found != tt.found {
				t.Errorf("found: %t, want %t; effect (-want +got):\n%s", found, tt.found, diff)
			}
		})
	}
}

// An attempt that waited for a CPU before its packet was sent may have met a
// later state: its moment is the later one.
func TestEffectOfALateAttempt(t *testing.T) {
	late := attempts("+-")
	late[1].Sent = 0.5
	if e, found := FindEffect(late, false); !found || e.At != 0.5 || e.Before != 0 {
		t.Errorf("%+v, %t", e, found)
	}
}

// Whatever the outcomes are, the last attempt with the old one comes right
// before the effect, and none with it comes after.
func TestEffectBracketsTheLastChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := attempts(rapid.StringOfN(rapid.RuneFrom([]rune("+-")), 0, 40, -1).Draw(t, "outcomes"))
		reached := rapid.Bool().Draw(t, "reached")
		e, found := FindEffect(all, reached)
		if !found {
			if len(all) > 0 && all[len(all)-1].OK() == reached {
				t.Fatal("the last attempt shows it, and it was not found")
			}
			return
		}
		for _, a := range all {
			if a.OK() != reached && (a.At >= e.At || a.At > e.Before || !e.Known) {
				t.Fatalf("attempt at %v has the old outcome, the effect is %+v", a.At, e)
			}
		}
		if e.Known && e.Before >= e.At {
			t.Fatalf("effect %+v", e)
		}
	})
}

func TestSettled(t *testing.T) {
	for _, tt := range []struct {
		outcomes string
		reached  bool
		n        int
		since    float64
		want     bool
	}{
		{"++---", false, 3, 0, true},
		{"++---", false, 4, 0, false},
		{"++---", false, 3, 0.03, false}, // one of the three began too early
		{"--", false, 3, 0, false},
		{"--+", true, 1, 0.02, true},
	} {
		if got := Settled(attempts(tt.outcomes), tt.reached, tt.n, tt.since); got != tt.want {
			t.Errorf("Settled(%s, %t, %d, %v) = %t", tt.outcomes, tt.reached, tt.n, tt.since, got)
		}
	}
}

func TestSince(t *testing.T) {
	all := attempts("+++--")
	for at, want := range map[float64]int{0: 5, 0.025: 3, 0.03: 3, 1: 1} {
		if got := Since(all, at); len(got) != want {
			t.Errorf("Since(%v) has %d attempts, want %d", at, len(got), want)
		}
	}
	if got := Since(nil, 0); len(got) != 0 {
		t.Errorf("of no attempts there are %v", got)
	}
}
