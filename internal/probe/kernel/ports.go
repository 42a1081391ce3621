package kernel

import (
	"fmt"
	"strconv"
	"strings"
)

// ParsePort reads "8472/udp".
func ParsePort(s string) (port int, protocol string, err error) {
	number, protocol, found := strings.Cut(s, "/")
	port, convErr := strconv.Atoi(number)
	if !found || convErr != nil || port < 1 || port > 65535 || protocol != "udp" && protocol != "tcp" {
		return 0, "", fmt.Errorf("%q is no port: want 8472/udp or 179/tcp", s)
	}
	return port, protocol, nil
}

// parseSockets adds the local ports of a table such as /proc/net/udp to ports.
// Of TCP only listening sockets count (state 0A).
func parseSockets(table, protocol string, ports map[string]bool) error {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] == "sl" {
			continue
		}
		_, hex, found := strings.Cut(f[1], ":")
		port, err := strconv.ParseUint(hex, 16, 16)
		if !found || err != nil {
			return fmt.Errorf("%q is no local address", f[1])
		}
		if protocol == "tcp" && f[3] != "0A" {
			continue
		}
		ports[fmt.Sprintf("%d/%s", port, protocol)] = true
	}
	return nil
}
