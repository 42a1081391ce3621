package scenario

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestFindKnee(t *testing.T) {
	for _, tt := range []struct {
		name   string
		series []step
		want   knee
		fills  int // of a link that carries 20
	}{
		{"one load", []step{{1, 10}}, knee{1, 1, 1, 10}, 0},
		{"it grows and stays", []step{{1, 10}, {2, 18}, {3, 20}, {4, 20}}, knee{3, 3, 3, 20}, 3},
		{"the margin decides", []step{{1, 10}, {2, 18.5}, {3, 19.2}, {4, 20}}, knee{3, 2, 4, 20}, 3},
		{"flat from the start", []step{{1, 10}, {2, 9.9}, {3, 10}}, knee{1, 1, 1, 10}, 0},
		{"it falls again", []step{{1, 5}, {2, 19.5}, {4, 20}, {8, 12}}, knee{2, 2, 4, 20}, 2},
	} {
		got, err := findKnee(tt.series)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
		if n := filling(tt.series, 20); n != tt.fills {
			t.Errorf("%s: %d streams fill the link, want %d", tt.name, n, tt.fills)
		}
	}
	if _, err := findKnee(nil); err == nil {
		t.Error("nothing has a knee")
	}
}

// The interval has the knee in it, and every one of its ends was measured.
func TestKneeInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var series []step
		counts := streamCounts(rapid.IntRange(1, 64).Draw(t, "most"))
		for _, n := range counts {
			series = append(series, step{n, rapid.Float64Range(1, 1e11).Draw(t, "throughput")})
		}
		k, err := findKnee(series)
		if err != nil || k.low > k.at || k.at > k.high || k.peak <= 0 {
			t.Fatalf("%+v, %v", k, err)
		}
		for _, n := range []int{k.low, k.at, k.high} {
			if !slices.Contains(counts, n) {
				t.Fatalf("%d streams were not measured: %v", n, counts)
			}
		}
	})
}

func TestStreamCounts(t *testing.T) {
	for most, want := range map[int][]int{
		1: {1}, 2: {1, 2}, 3: {1, 2, 3}, 5: {1, 2, 3, 4, 5}, 8: {1, 2, 3, 4, 6, 8}, 20: {1, 2, 3, 4, 6, 8, 12, 16, 20},
	} {
		if got := streamCounts(most); !slices.Equal(got, want) {
			t.Errorf("up to %d: %v, want %v", most, got, want)
		}
	}
}
