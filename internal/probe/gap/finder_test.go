package gap

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const ms = time.Millisecond

var spec = Spec{Interval: ms, Threshold: 10 * ms}

// arrival is a packet, or a mark where number is negative.
type arrival struct {
	number int
	at     time.Duration
}

func find(t *testing.T, arrivals []arrival, sent uint64, end time.Duration) Report {
	t.Helper()
	f := NewFinder(spec)
	for _, a := range arrivals {
		if a.number >= 0 {
			f.Add(uint64(a.number), a.at)
		} else if err := f.Mark(a.at); err != nil {
			t.Fatal(err)
		}
	}
	return f.Finish(sent, end)
}

func TestFinder(t *testing.T) {
	const mark = -1
	for _, tt := range []struct {
		name     string
		arrivals []arrival
		sent     uint64
		want     Report
	}{
		{"nothing wrong", []arrival{{0, 0}, {1, ms}, {mark, ms}, {2, 2 * ms}}, 3,
			Report{Before: Part{Due: 2}, After: Part{Due: 1}}},
		{"lost in a gap", []arrival{{0, 0}, {mark, ms}, {31, 31 * ms}}, 32,
			Report{Before: Part{Due: 1}, After: Part{Due: 31, Lost: 30, Longest: 30 * ms, Count: 1, Total: 30 * ms},
				Gaps: []Gap{{Begin: -ms, Length: 30 * ms, Skipped: 30}}}},
		{"delayed, none lost", []arrival{{0, 0}, {mark, 0}, {1, 21 * ms}, {2, 21 * ms}, {3, 21 * ms}}, 4,
			Report{Before: Part{Due: 1}, After: Part{Due: 3, Longest: 20 * ms, Count: 1, Total: 20 * ms},
				Gaps: []Gap{{Length: 20 * ms}}}},
		{"below the threshold", []arrival{{0, 0}, {mark, 0}, {9, 10 * ms}}, 10,
			Report{Before: Part{Due: 1}, After: Part{Due: 9, Lost: 8, Longest: 9 * ms, Short: 9 * ms}}},
		{"before the mark", []arrival{{0, 0}, {20, 20 * ms}, {mark, 21 * ms}, {21, 22 * ms}}, 22,
			Report{Before: Part{Due: 21, Lost: 19, Longest: 19 * ms, Count: 1, Total: 19 * ms}, After: Part{Due: 1, Longest: ms, Short: ms},
				Gaps: []Gap{{Begin: -21 * ms, Length: 19 * ms, Skipped: 19}}}},
		{"late from before the mark", []arrival{{0, 0}, {2, ms}, {mark, ms}, {1, 2 * ms}, {3, 3 * ms}}, 4,
			Report{Before: Part{Due: 3}, After: Part{Due: 1}}},
		{"overtaken in a gap", []arrival{{0, 0}, {mark, 0}, {15, 16 * ms}, {14, 17 * ms}}, 16,
			Report{Before: Part{Due: 1}, After: Part{Due: 15, Lost: 13, Longest: 15 * ms, Count: 1, Total: 15 * ms},
				Gaps: []Gap{{Length: 15 * ms, Skipped: 14}}}},
		{"stamps of two CPUs out of order", []arrival{{0, 0}, {mark, 0}, {1, 2 * ms}, {2, ms}, {3, 3 * ms}}, 4,
			Report{Before: Part{Due: 1}, After: Part{Due: 3, Longest: ms, Short: ms}}},
		{"without a mark", []arrival{{0, 5 * ms}, {40, 45 * ms}}, 41,
			Report{Before: Part{Due: 41, Lost: 39, Longest: 39 * ms, Count: 1, Total: 39 * ms},
				Gaps: []Gap{{Begin: 5 * ms, Length: 39 * ms, Skipped: 39}}}},
		{"it ends in an interruption", []arrival{{0, 0}, {mark, 0}, {1, ms}}, 50,
			Report{Before: Part{Due: 1}, After: Part{Due: 49, Lost: 48}, Open: true, Silence: 99 * ms}},
		{"nothing came", nil, 5, Report{Before: Part{Due: 5, Lost: 5}, Open: true, Silence: 100 * ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want.Gaps == nil {
				tt.want.Gaps = []Gap{}
			}
			if diff := cmp.Diff(tt.want, find(t, tt.arrivals, tt.sent, 100*ms), cmpopts.IgnoreFields(Gap{}, "After", "Marked")); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarkRefused(t *testing.T) {
	f := NewFinder(spec)
	if err := f.Mark(0); err == nil {
		t.Error("a mark before the first packet was taken")
	}
	f.Add(0, 0)
	if err := f.Mark(0); err != nil {
		t.Error(err)
	}
	if err := f.Mark(ms); err == nil {
		t.Error("a second mark was taken")
	}
}

// What the sender paused is not the network's. A pause that begins later in a
// gap is no excuse for it.
func TestWithout(t *testing.T) {
	arrivals := []arrival{{0, 0}, {1, 31 * ms}, {-1, 32 * ms}, {2, 33 * ms}, {3, 54 * ms}, {80, 180 * ms}}
	r := find(t, arrivals, 81, 200*ms)
	for _, tt := range []struct {
		name          string
		pauses        []Pause
		before, after Part
		paused        []time.Duration
	}{
		{"the sender never paused", nil,
			Part{Due: 2, Longest: 30 * ms, Count: 1, Total: 30 * ms},
			Part{Due: 79, Lost: 76, Longest: 125 * ms, Short: ms, Count: 2, Total: 145 * ms}, []time.Duration{0, 0, 0}},
		{"it did, for both shorter ones", []Pause{{1, 31 * ms}, {3, 25 * ms}},
			Part{Due: 2}, Part{Due: 79, Lost: 76, Longest: 125 * ms, Short: ms, Count: 1, Total: 125 * ms}, []time.Duration{30 * ms, 20 * ms, 0}},
		{"it did as the longest began", []Pause{{4, 26 * ms}},
			Part{Due: 2, Longest: 30 * ms, Count: 1, Total: 30 * ms},
			Part{Due: 79, Lost: 76, Longest: 100 * ms, Short: ms, Count: 2, Total: 120 * ms}, []time.Duration{0, 0, 25 * ms}},
		{"it did while all was lost", []Pause{{40, 50 * ms}},
			Part{Due: 2, Longest: 30 * ms, Count: 1, Total: 30 * ms},
			Part{Due: 79, Lost: 76, Longest: 125 * ms, Short: ms, Count: 2, Total: 145 * ms}, []time.Duration{0, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := r.Without(tt.pauses, spec)
			if diff := cmp.Diff([]Part{tt.before, tt.after}, []Part{got.Before, got.After}); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			var paused []time.Duration
			for _, g := range got.Gaps {
				paused = append(paused, g.Paused)
			}
			if diff := cmp.Diff(tt.paused, paused); diff != "" {
				t.Errorf("paused (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever is lost, delayed and overtaken: an outage that is put into a stream
// after the mark is found, to the interval; what is lost is what did not come,
// in the part in which it was due; and where the clock began changes nothing.
func TestFinderFindsOutages(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := invent(r)
		got := find(t, s.arrivals, s.sent, s.end)
		if low, high := s.outage-2*ms, s.outage+2*ms; got.After.Longest < low || got.After.Longest > high {
			t.Fatalf("seed %d: the longest gap is %s, and the outage was %s", seed, got.After.Longest, s.outage)
		}
		if got.Before.Lost != s.lost[0] || got.After.Lost != s.lost[1] || got.Before.Due+got.After.Due != s.sent {
			t.Fatalf("seed %d: %+v, want lost %v of %d", seed, got, s.lost, s.sent)
		}
		total := time.Duration(0)
		for _, g := range got.Gaps {
			total += g.Length
		}
		if total != got.Before.Total+got.After.Total || len(got.Gaps) != got.Before.Count+got.After.Count {
			t.Fatalf("seed %d: the list has %s in %d, the parts have %+v and %+v", seed, total, len(got.Gaps), got.Before, got.After)
		}
		shift := time.Duration(r.Int64N(int64(time.Hour)))
		for i := range s.arrivals {
			s.arrivals[i].at += shift
		}
		if diff := cmp.Diff(got, find(t, s.arrivals, s.sent, s.end+shift)); diff != "" {
			t.Fatalf("seed %d: a clock that is ahead by %s (-want +got):\n%s", seed, shift, diff)
		}
	}
}

type invented struct {
	arrivals []arrival
	sent     uint64
	outage   time.Duration
	lost     [2]uint64 // before and after the mark
	end      time.Duration
}

// invent makes a stream of a packet per millisecond with single losses, pairs
// that swap, a mark, and one outage after it.
func invent(r *rand.Rand) invented {
	const total = 1000
	s := invented{sent: total, end: 2 * time.Second}
	mark, begin := 100+r.IntN(200), 400+r.IntN(200)
	length := 15 + r.IntN(300)
	s.outage = time.Duration(length) * ms
	pending := -1
	for i := range total {
		at := time.Duration(i) * ms
		if i == mark {
			s.arrivals = append(s.arrivals, arrival{-1, at - ms/2})
		}
		quiet := i == 0 || i >= mark-3 && i <= mark+1 || i == begin-1 || i == begin+length || i == total-1
		switch part := min(1, i/mark); {
		case i >= begin && i < begin+length, !quiet && pending < 0 && r.IntN(20) == 0:
			s.lost[part]++
		case pending >= 0:
			s.arrivals = append(s.arrivals, arrival{i, at}, arrival{pending, at + ms/4})
			pending = -1
		case !quiet && i+1 != begin && i+2 != begin && i+1 != mark && r.IntN(20) == 0:
			pending = i
		default:
			s.arrivals = append(s.arrivals, arrival{i, at})
		}
	}
	return s
}
