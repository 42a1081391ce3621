package sample

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCounter32(t *testing.T) {
	for _, tt := range []struct {
		name     string
		readings []uint64
		span     uint64
		want     change // of the last reading
		total    uint64
	}{
		{"counts", []uint64{5, 7}, span32, counted, 7},
		{"wraps", []uint64{0xfffffff0, 0x10}, span32, wrapped, span32 + 0x10},
		{"one of several wraps", []uint64{5<<32 - 1, 4 << 32}, span32, wrapped, 5 << 32},
		{"is reset", []uint64{1000, 10}, span32, fell, 10},
		{"is reset near the end of what is plausible", []uint64{1 << 31, 0}, span32, fell, 0},
		{"energy wraps", []uint64{262143000000, 671150}, 262143328850, wrapped, 262144000000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c counter32
			var got change
			for _, n := range tt.readings {
				got = c.addModulo(n, tt.span)
			}
			if got != tt.want || c.total != tt.total {
				t.Errorf("change %v, total %d; want %v, %d", got, c.total, tt.want, tt.total)
			}
		})
	}
}

// Whatever is counted, as long as it is less than half the span at a time, the
// total grows by it.
func TestCounter32FollowsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := rapid.Uint64Range(0, 1<<40).Draw(t, "start")
		var c counter32
		c.add(truth % span32)
		start := truth - c.total
		for _, n := range rapid.SliceOf(rapid.Uint64Range(0, span32/2-1)).Draw(t, "growth") {
			truth += n
			if got := c.add(truth % span32); got == fell || c.total != truth-start {
				t.Fatalf("total %d after %d, %v", c.total, truth-start, got)
			}
		}
	})
}

// A CPU that goes off line keeps its part of the sum, and goes on from there.
func TestSoftnetOffline(t *testing.T) {
	var c softnetCounter
	both := []softnetCPU{{0, 10, 1, 0}, {1, 20, 0, 2}}
	if sum, _ := c.add(both); sum != (Softnet{30, 1, 2}) {
		t.Errorf("first sum = %+v", sum)
	}
	if sum, wraps := c.add([]softnetCPU{{0, 11, 1, 0}}); sum != (Softnet{31, 1, 2}) || len(wraps) != 0 {
		t.Errorf("with one CPU: %+v, %v", sum, wraps)
	}
	if sum, wraps := c.add([]softnetCPU{{0, 12, 1, 0}, {1, 25, 0, 2}}); sum != (Softnet{37, 1, 2}) || len(wraps) != 0 {
		t.Errorf("with both again: %+v, %v", sum, wraps)
	}
}
