package vitals

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// countsErrors are the names of counters of a link that count what went wrong,
// in sysfs and as drivers call theirs.
var countsErrors = regexp.MustCompile(`(?i)(err|crc|miss|drop|discard|no_?buf|fifo|timeout|collision|nohandler|overrun)`)

// IsErrorCounter tells whether a counter of a link counts what went wrong.
func IsErrorCounter(name string) bool { return countsErrors.MatchString(name) }

// ReadCounters reads what the kernel counts of a link: packets in both
// directions, and the counters of errors that are not 0.
func ReadCounters(root fs.FS, link string) (packets uint64, wrong map[string]uint64, err error) {
	dir := path.Join("sys/class/net", link, "statistics")
	entries, err := fs.ReadDir(root, dir)
	if err != nil {
		return 0, nil, err
	}
	wrong = map[string]uint64{}
	for _, e := range entries {
		n, err := number(root, path.Join(dir, e.Name()))
		switch {
		case err != nil:
			return 0, nil, err
		case e.Name() == "rx_packets" || e.Name() == "tx_packets":
			packets += n
		case IsErrorCounter(e.Name()) && n > 0:
			wrong[e.Name()] = n
		}
	}
	return packets, wrong, nil
}

func number(root fs.FS, file string) (uint64, error) {
	b, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
}

// ReadConntrack reads how many connections are tracked and how many can be.
func ReadConntrack(root fs.FS) (*Conntrack, error) {
	var c Conntrack
	var err error
	if c.Entries, err = number(root, "proc/sys/net/netfilter/nf_conntrack_count"); err != nil {
		return nil, err
	}
	if c.Limit, err = number(root, "proc/sys/net/netfilter/nf_conntrack_max"); err != nil {
		return nil, err
	}
	if c.Limit == 0 {
		return nil, errors.New("the kernel says that none fit into the table")
	}
	return &c, nil
}

// ReadDisks lists block devices with something behind them.
func ReadDisks(root fs.FS) ([]Disk, error) {
	entries, err := fs.ReadDir(root, "sys/block")
	if err != nil {
		return nil, err
	}
	var disks []Disk
	for _, e := range entries {
		virtual := func(prefix string) bool { return strings.HasPrefix(e.Name(), prefix) }
		if slices.ContainsFunc([]string{"loop", "ram", "zram", "dm-", "md", "sr", "nbd", "fd"}, virtual) {
			continue
		}
		n, err := number(root, path.Join("sys/block", e.Name(), "queue/rotational"))
		if err != nil {
			continue // it has no queue
		}
		disks = append(disks, Disk{e.Name(), n != 0})
	}
	if len(disks) == 0 {
		return nil, errors.New("no disk shows in /sys/block")
	}
	return disks, nil
}
