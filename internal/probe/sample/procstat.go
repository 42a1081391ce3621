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
}

// parseStat parses /proc/stat (proc_stat(5)).
func parseStat(data []byte) (procStat, error) {
	var s procStat
	var haveTotal, haveSwitches bool
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		name, rest := procfs.NextField(line)
		switch {
		case string(name) == "cpu":
			modes, err := parseModes(rest)
			if err != nil {
				return procStat{}, fmt.Errorf("stat, line cpu: %w", err)
			}
			s.total, haveTotal = modes, true
		case bytes.HasPrefix(name, []byte("cpu")):
			core, err := parseCore(name[len("cpu"):], rest)
			if err != nil {
				return procStat{}, fmt.Errorf("stat, line %s: %w", procfs.Quote(string(name)), err)
			}
			s.cores = append(s.cores, core)
		case string(name) == "ctxt":
			field, _ := procfs.NextField(rest)
			n, err := procfs.ParseUint(field)
			if err != nil {
				return procStat{}, fmt.Errorf("stat, line ctxt: %w", err)
			}
			s.switches, haveSwitches = n, true
		}
	}
	if !haveTotal || !haveSwitches || len(s.cores) == 0 {
		return procStat{}, errors.New("stat has no line cpu, cpu0 or ctxt")
	}
	return s, nil
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
