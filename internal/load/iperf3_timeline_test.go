package load

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A warm-up of 1 s that ended 137 ms late, as it was seen on a busy machine:
// its last interval ends after the measurement has begun, and the first one of
// the measurement lasts less than a millisecond.
func TestTimelineAfterALateWarmUp(t *testing.T) {
	s := ideal(1, 3, 0, 0.3, 0)
	s.Client.Intervals = []Iperf3Interval{
		{Start: 0, End: 0.9, BitsPerSecond: 1, Omitted: true},
		{Start: 0.9, End: 1.031, BitsPerSecond: 2, Omitted: true},
		{Start: 0, End: 0.00084, BitsPerSecond: 3},
		{Start: 0.00084, End: 3, BitsPerSecond: 4},
	}
	moments, err := s.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	origin := moments[1].End // the late interval's end, moved to the origin
	type point struct {
		After time.Duration
		Rate  float64
	}
	var got []point
	for _, m := range moments {
		got = append(got, point{m.End.Sub(origin).Round(time.Millisecond), m.BitsPerSecond})
	}
	want := []point{{-100 * time.Millisecond, 1}, {0, 2}, {3 * time.Second, 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
}

// Retransmits are a rate, as throughput is, and unknown where nobody counted.
func TestTimelineRetransmits(t *testing.T) {
	s := ideal(0, 3, 0, 0.3, 0)
	five := int64(5)
	s.Client.Intervals = []Iperf3Interval{{Start: 0, End: 1}, {Start: 1, End: 3, Retransmits: &five}}
	moments, err := s.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	if len(moments) != 2 || moments[0].Retransmits != nil || moments[1].Retransmits == nil || *moments[1].Retransmits != 2.5 {
		t.Errorf("got %+v, want unknown, then 2.5 per second", moments)
	}
}
