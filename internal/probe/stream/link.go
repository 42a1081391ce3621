package stream

import (
	"fmt"
	"strconv"
	"strings"
)

// LinkCounts is what passed a network device. Linux counts a frame's bytes
// from its destination address to the end of its payload, so without the
// check sequence.
type LinkCounts struct {
	Name      string `json:"name"`
	RxPackets uint64 `json:"rxPackets"`
	RxBytes   uint64 `json:"rxBytes"`
	RxDropped uint64 `json:"rxDropped"`
	TxPackets uint64 `json:"txPackets"`
	TxBytes   uint64 `json:"txBytes"`
	TxDropped uint64 `json:"txDropped"`
}

func (c LinkCounts) since(start LinkCounts) LinkCounts {
	return LinkCounts{
		c.Name, c.RxPackets - start.RxPackets, c.RxBytes - start.RxBytes, c.RxDropped - start.RxDropped,
		c.TxPackets - start.TxPackets, c.TxBytes - start.TxBytes, c.TxDropped - start.TxDropped,
	}
}

// parseLink finds a device in the text of /proc/net/dev (proc_pid_net(5)).
func parseLink(text, name string) (LinkCounts, error) {
	for line := range strings.Lines(text) {
		device, rest, found := strings.Cut(line, ":")
		if !found || strings.TrimSpace(device) != name {
			continue
		}
		c := LinkCounts{Name: name}
		fields := strings.Fields(rest)
		for i, into := range map[int]*uint64{
			0: &c.RxBytes, 1: &c.RxPackets, 3: &c.RxDropped, 8: &c.TxBytes, 9: &c.TxPackets, 11: &c.TxDropped,
		} {
			if i >= len(fields) {
				return c, fmt.Errorf("reading the counts of %s: %d columns", name, len(fields))
			}
			n, err := strconv.ParseUint(fields[i], 10, 64)
			if err != nil {
				return c, fmt.Errorf("reading the counts of %s: column %d: %w", name, i+1, err)
			}
			*into = n
		}
		return c, nil
	}
	return LinkCounts{}, fmt.Errorf("reading the counts of %s: there is no such device", name)
}
