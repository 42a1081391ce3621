package probe

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// tcpListen is the state of a listening socket in /proc/net/tcp and tcp6
// (TCP_LISTEN in include/net/tcp_states.h).
const tcpListen = "0A"

// parseListening adds the ports that have a listening socket in the text of
// /proc/net/tcp or /proc/net/tcp6 to ports.
func parseListening(data []byte, ports map[int]bool) error {
	header, data := nextLine(data)
	if !bytes.Contains(header, []byte("local_address")) {
		return errors.New("socket table has no header")
	}
	for len(data) > 0 {
		var line []byte
		line, data = nextLine(data)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		_, rest := nextField(line)
		local, rest := nextField(rest)
		_, rest = nextField(rest)
		state, _ := nextField(rest)
		_, hexPort, ok := bytes.Cut(local, []byte{':'})
		if !ok || len(state) != 2 {
			return fmt.Errorf("socket table has the line %s", quote(string(line)))
		}
		port, err := strconv.ParseUint(string(hexPort), 16, 16)
		if err != nil {
			return fmt.Errorf("socket table has the port %s", quote(string(hexPort)))
		}
		if string(state) == tcpListen {
			ports[int(port)] = true
		}
	}
	return nil
}
