package sample

import (
	"errors"
	"io/fs"
	"testing"

	"golang.org/x/sys/unix"
)

// Few virtual machines count cycles, but every kernel counts its own events in
// the same way: time on a CPU, and context switches.
func TestHardwareReadsPairs(t *testing.T) {
	h, err := openPairs(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK, unix.PERF_COUNT_SW_CONTEXT_SWITCHES)
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("this user may not count what all programs do (kernel.perf_event_paranoid)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	before, err := h.read()
	if err != nil {
		t.Fatal(err)
	}
	after, err := h.read()
	if err != nil {
		t.Fatal(err)
	}
	// The clock counts nanoseconds of every CPU, so it never stands still.
	if after.Cycles <= before.Cycles || after.Instructions < before.Instructions {
		t.Errorf("%+v, then %+v", before, after)
	}
}

func TestHardwareSaysWhyNot(t *testing.T) {
	h, err := openPairs(unix.PERF_TYPE_SOFTWARE, 1<<40, 1<<40)
	if err == nil {
		h.close()
		t.Error("an event that does not exist is counted")
	}
}
