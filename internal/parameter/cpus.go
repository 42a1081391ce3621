package parameter

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FreeCPUs is the value of a parameter of kind CPUs that leaves the choice to
// the kernel.
const FreeCPUs = "free"

// maxCPU is the largest number of a CPU: Linux is built for 8192 at most.
const maxCPU = 8191

// cpusSyntax is the list format of Linux (cpuset(7)): numbers and ranges.
var cpusSyntax = regexp.MustCompile(`^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$`)

// ParseCPUs reads a list of CPUs in the list format of Linux, such as 0-3,8,
// and returns the numbers in order, each once.
func ParseCPUs(text string) ([]int, bool) {
	if !cpusSyntax.MatchString(text) {
		return nil, false
	}
	var cpus []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first > last || last > maxCPU {
			return nil, false
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), true
}

// FormatCPUs writes CPUs, in order and each once, in the list format of Linux.
func FormatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// EndCPUs splits a value of kind CPUs into those of the client and of the
// server. Both are nil when the choice is free.
func EndCPUs(value string) (client, server []int) {
	one, two, both := strings.Cut(value, ":")
	if !both {
		two = one
	}
	client, _ = ParseCPUs(one)
	server, _ = ParseCPUs(two)
	return client, server
}

// canonicalCPUs is the one text of a value: free, LIST, or CLIENT:SERVER.
func canonicalCPUs(text string) (string, bool) {
	if text == FreeCPUs {
		return text, true
	}
	var lists []string
	for part := range strings.SplitSeq(text, ":") {
		cpus, ok := ParseCPUs(part)
		if !ok {
			return "", false
		}
		lists = append(lists, FormatCPUs(cpus))
	}
	if len(lists) == 2 && lists[0] == lists[1] {
		lists = lists[:1]
	}
	return strings.Join(lists, ":"), len(lists) <= 2
}
