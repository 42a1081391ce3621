package sample

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// parseNetDev parses /proc/net/dev: two header lines, then per interface eight
// receive and eight transmit counters.
func parseNetDev(data []byte) (map[string]Traffic, error) {
	_, data = procfs.NextLine(data)
	header, data := procfs.NextLine(data)
	if !bytes.Contains(header, []byte("|bytes")) {
		return nil, errors.New("net/dev has no header")
	}
	devices := map[string]Traffic{}
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		// A name may hold a colon, as aliases do; no counter can.
		colon := bytes.LastIndexByte(line, ':')
		if colon < 0 {
			return nil, fmt.Errorf("net/dev has the line %s", procfs.Quote(string(line)))
		}
		name := string(bytes.TrimSpace(line[:colon]))
		var n [12]uint64
		if err := procfs.ParseUints(line[colon+1:], n[:]); err != nil {
			return nil, fmt.Errorf("net/dev, interface %s: %w", procfs.Quote(name), err)
		}
		devices[name] = Traffic{
			RxBytes: n[0], RxPackets: n[1], RxErrors: n[2], RxDropped: n[3],
			TxBytes: n[8], TxPackets: n[9], TxErrors: n[10], TxDropped: n[11],
		}
	}
	return devices, nil
}
