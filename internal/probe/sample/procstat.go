package sample

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// procStat is the part of /proc/stat that is sampled.
type procStat struct {
	total    Modes
	cores    []Core
	switches uint64
	tasks    *Tasks
	softirqs []uint64 // runs by kind, as softIRQKinds; nil if there are others
}

// softIRQKinds are the kinds of softirqs in the order in which /proc/stat
// counts them (softirq_to_name in the kernel's kernel/softirq.c), the same as
// that of /proc/softirqs, which costs a reading of its own.
var softIRQKinds = [...]string{"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"}

// parseStat parses /proc/stat (proc_stat(5)).
func parseStat(data []byte) (procStat, error) {
	var s procStat
	var tasks Tasks
	var haveTotal, haveSwitches bool
	found := 0
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		name, rest := procfs.NextField(line)
		var err error
		switch string(name) {
		case "cpu":
			s.total, err = parseModes(rest)
			haveTotal = true
		case "ctxt":
			s.switches, err = parseFirst(rest)
			haveSwitches = true
		case "processes":
			tasks.Forks, err = parseFirst(rest)
			found++
		case "procs_running":
			tasks.Running, err = parseFirst(rest)
			found++
		case "procs_blocked":
			tasks.Blocked, err = parseFirst(rest)
			found++
		case "softirq":
			s.softirqs, err = parseSoftIRQs(rest)
		default:
			if bytes.HasPrefix(name, []byte("cpu")) {
				var core Core
				core, err = parseCore(name[len("cpu"):], rest)
				s.cores = append(s.cores, core)
			}
		}
		if err != nil {
			return procStat{}, fmt.Errorf("stat, line %s: %w", procfs.Quote(string(name)), err)
		}
	}
	if !haveTotal || !haveSwitches || len(s.cores) == 0 {
		return procStat{}, errors.New("stat has no line cpu, cpu0 or ctxt")
	}
	if found == 3 {
		s.tasks = &tasks
	}
	return s, nil
}

func parseFirst(line []byte) (uint64, error) {
	field, _ := procfs.NextField(line)
	return procfs.ParseUint(field)
}

// parseSoftIRQs parses the total and the counts by kind. A kernel with other
// kinds has no names for them here.
func parseSoftIRQs(line []byte) ([]uint64, error) {
	var n [1 + len(softIRQKinds)]uint64
	for i := range n {
		var field []byte
		if field, line = procfs.NextField(line); len(field) == 0 {
			return nil, nil
		}
		var err error
		if n[i], err = procfs.ParseUint(field); err != nil {
			return nil, err
		}
	}
	if more, _ := procfs.NextField(line); len(more) > 0 {
		return nil, nil
	}
	return n[1:], nil
}

func parseCore(id, rest []byte) (Core, error) {
	n, err := strconv.ParseUint(string(id), 10, 31)
	if err != nil {
		return Core{}, fmt.Errorf("%s is no CPU number", procfs.Quote(string(id)))
	}
	modes, err := parseModes(rest)
	return Core{ID: int(n), Modes: modes}, err
}

// parseModes reads user to steal. The two guest times after them are part of
// user and nice already.
func parseModes(line []byte) (Modes, error) {
	var ticks [8]uint64
	if err := procfs.ParseUints(line, ticks[:]); err != nil {
		return Modes{}, err
	}
	seconds := func(i int) float64 { return float64(ticks[i]) / procfs.UserHZ }
	return Modes{
		User: seconds(0), Nice: seconds(1), System: seconds(2), Idle: seconds(3),
		IOWait: seconds(4), IRQ: seconds(5), SoftIRQ: seconds(6), Steal: seconds(7),
	}, nil
}
