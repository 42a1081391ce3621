package probe

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// cpuPoint is the CPU time that a thread had used at a moment of its process's
// life.
type cpuPoint struct {
	at  time.Duration
	cpu time.Duration
}

// busiestShare returns the largest average CPU share over any stretch of
// points that is at least shortest long, or 0 when there is none. Points are
// in order of time.
func busiestShare(points []cpuPoint, shortest time.Duration) float64 {
	best := 0.0
	for i := range points {
		for j := i + 1; j < len(points); j++ {
			span := points[j].at - points[i].at
			if span < shortest || span <= 0 {
				continue
			}
			share := float64(points[j].cpu-points[i].cpu) / float64(span)
			best = max(best, share)
			if span >= 2*shortest { // longer stretches are averages of shorter ones
				break
			}
		}
	}
	return min(best, 1) // ticks are rounded
}

// parseTaskCPU returns the CPU time in /proc/PID/task/TID/stat, user and
// system. The command's name, in parentheses, may hold anything.
func parseTaskCPU(data []byte) (time.Duration, error) {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return 0, errors.New("task stat has no command")
	}
	rest := data[end+1:]
	var field []byte
	for range 11 { // state to cmajflt; see proc_pid_stat(5)
		if field, rest = procfs.NextField(rest); len(field) == 0 {
			return 0, errors.New("task stat is too short")
		}
	}
	var ticks uint64
	for _, name := range []string{"utime", "stime"} {
		field, rest = procfs.NextField(rest)
		n, err := procfs.ParseUint(field)
		if err != nil {
			return 0, fmt.Errorf("task stat, %s: %w", name, err)
		}
		if n > 1<<38 { // 87 years; more would overflow a Duration
			return 0, fmt.Errorf("task stat, %s: %d ticks", name, n)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / procfs.UserHZ), nil
}
