package probe

import (
	"strings"
	"testing"
	"time"
)

func TestParseTaskCPU(t *testing.T) {
	got, err := parseTaskCPU([]byte("17 (a) b (c) S 1 17 17 0 -1 4194304 5 0 0 0 123 77 0 0 20 0 1 0 9\n"))
	if err != nil || got != 2*time.Second {
		t.Errorf("parseTaskCPU() = %v, %v; want 2s", got, err)
	}
}

func TestBusiestShare(t *testing.T) {
	ms := time.Millisecond
	// Idle for half of its life, then always on a CPU.
	points := []cpuPoint{{0, 0}, {500 * ms, 0}, {750 * ms, 250 * ms}, {1000 * ms, 500 * ms}}
	if got := busiestShare(points, 500*ms); got != 1 {
		t.Errorf("busiest half = %v, want 1", got)
	}
	if got := busiestShare(points, 1000*ms); got != 0.5 {
		t.Errorf("busiest whole = %v, want 0.5", got)
	}
	if got := busiestShare(points[:1], 0); got != 0 {
		t.Errorf("share of one point = %v, want 0", got)
	}
}

// What is cut short is an error, never a 0.
func TestParseTaskCPURefuses(t *testing.T) {
	if cpu, err := parseTaskCPU([]byte("17 (a) S 1 17")); err == nil || !strings.Contains(err.Error(), "too short") {
		t.Errorf("parseTaskCPU() = %v, %v", cpu, err)
	}
}

func FuzzTaskCPU(f *testing.F) {
	f.Add([]byte("17 (sh) S 1 17 17 0 -1 4194304 5 0 0 0 123 77 0 0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if cpu, err := parseTaskCPU(data); err == nil && cpu < 0 {
			t.Errorf("task CPU = %v", cpu)
		}
	})
}
