package sample

import (
	"fmt"
	"strconv"
	"strings"
)

// parseCPUList parses the list format of Linux (cpuset(7)).
func parseCPUList(list string) ([]int, error) {
	const most = 1 << 16
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.ParseUint(first, 10, 16)
		to := from
		if err == nil && isRange {
			to, err = strconv.ParseUint(last, 10, 16)
		}
		if err != nil || to < from || len(cpus) > most {
			return nil, fmt.Errorf("%q is no list of CPUs", list)
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, int(cpu))
		}
	}
	return cpus, nil
}
