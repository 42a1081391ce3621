package sample

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hardware counts cycles and instructions of all CPUs. Per CPU it is one group
// of events, so that one read gives both.
type hardware struct {
	leaders, all []int // file descriptors
}

// openHardware opens the counters of the machine. The error is fs.ErrNotExist
// where it has none.
func openHardware() (*hardware, error) {
	return openPairs(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES, unix.PERF_COUNT_HW_INSTRUCTIONS)
}

// openPairs opens two events of a type on every CPU (perf_event_open(2)).
func openPairs(kind uint32, first, second uint64) (*hardware, error) {
	cpus, err := onlineCPUs()
	if err != nil {
		return nil, err
	}
	h := &hardware{}
	for _, cpu := range cpus {
		leader, err := openEvent(kind, first, cpu, -1)
		if err != nil {
			h.close()
			return nil, err
		}
		h.leaders, h.all = append(h.leaders, leader), append(h.all, leader)
		member, err := openEvent(kind, second, cpu, leader)
		if err != nil {
			h.close()
			return nil, err
		}
		h.all = append(h.all, member)
	}
	return h, nil
}

// openEvent counts an event on one CPU, of all programs and the kernel. The
// leader of a group is pinned: it counts all the time or says that it does not,
// instead of sharing the hardware with others and counting some of the time.
func openEvent(kind uint32, event uint64, cpu, leader int) (int, error) {
	attr := unix.PerfEventAttr{
		Type: kind, Config: event, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Read_format: unix.PERF_FORMAT_GROUP,
	}
	if leader == -1 {
		attr.Bits = unix.PerfBitPinned
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, leader, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return -1, os.NewSyscallError("perf_event_open", err)
	}
	return fd, nil
}

func (h *hardware) read() (*Hardware, error) {
	var sum Hardware
	var values [3]uint64 // how many there are, cycles, instructions
	buf := unsafe.Slice((*byte)(unsafe.Pointer(&values)), unsafe.Sizeof(values))
	for _, fd := range h.leaders {
		n, err := unix.Read(fd, buf)
		if err != nil {
			return nil, fmt.Errorf("reading the counter of cycles: %w", err)
		}
		if n != len(buf) || values[0] != 2 {
			return nil, errors.New("the counter of cycles was taken by another program, or its CPU went off line")
		}
		sum.Cycles += values[1]
		sum.Instructions += values[2]
	}
	return &sum, nil
}

func (h *hardware) close() {
	for _, fd := range h.all {
		_ = unix.Close(fd) // only read from
	}
}

// onlineCPUs reads which CPUs are on line, a list such as 0-3,8.
func onlineCPUs() ([]int, error) {
	data, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	return parseCPUList(strings.TrimSpace(string(data)))
}
