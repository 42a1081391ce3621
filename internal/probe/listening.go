package probe

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// States of sockets (include/net/tcp_states.h) in /proc/net.
const (
	tcpListen = "0A" // TCP_LISTEN, in tcp and tcp6
	udpBound  = "07" // TCP_CLOSE, in udp and udp6: bound, and connected to nobody
)

// parseListening adds the ports that have a socket in the given state in the
// text of a table of /proc/net to ports.
func parseListening(data []byte, state string, ports map[int]bool) error {
	header, data := procfs.NextLine(data)
	if !bytes.Contains(header, []byte("local_address")) {
		return errors.New("socket table has no header")
	}
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		_, rest := procfs.NextField(line)
		local, rest := procfs.NextField(rest)
		_, rest = procfs.NextField(rest)
		is, _ := procfs.NextField(rest)
		_, hexPort, ok := bytes.Cut(local, []byte{':'})
		if !ok || len(is) != 2 {
			return fmt.Errorf("socket table has the line %s", procfs.Quote(string(line)))
		}
		port, err := strconv.ParseUint(string(hexPort), 16, 16)
		if err != nil {
			return fmt.Errorf("socket table has the port %s", procfs.Quote(string(hexPort)))
		}
		if string(is) == state {
			ports[int(port)] = true
		}
	}
	return nil
}
