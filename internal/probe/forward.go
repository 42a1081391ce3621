package probe

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
)

// ForwardSpec says what `forward` does: it listens on 127.0.0.1, and what
// connects there is led through a proxy that takes HTTP CONNECT, to a host's
// ports. A program that knows no proxy can then be put behind one.
type ForwardSpec struct {
	Proxy string `json:"proxy"` // the path of the proxy's UNIX socket
	Host  string `json:"host"`  // as the proxy finds it
	Ports []int  `json:"ports"` // of the host
}

// ForwardReady tells where to connect to: by port of the host, one that is
// free here.
type ForwardReady struct {
	Ports map[int]int `json:"ports"`
}

// ForwardEnded tells how it went.
type ForwardEnded struct {
	// Refused is why the latest connection was not made; empty: it was.
	Refused string `json:"refused,omitempty"`
}

// Validate reports what makes s unusable.
func (s ForwardSpec) Validate() error {
	if !filepath.IsAbs(s.Proxy) {
		return fmt.Errorf("the proxy's socket %q must be an absolute path", s.Proxy)
	}
	if s.Host == "" || strings.ContainsAny(s.Host, " \r\n") {
		return fmt.Errorf("%q is no host", s.Host)
	}
	if len(s.Ports) == 0 {
		return errors.New("there is no port to forward")
	}
	for _, port := range s.Ports {
		if port < 1 || port > 65535 {
			return fmt.Errorf("there is no port %d", port)
		}
	}
	return nil
}

// connectRequest asks a proxy for a connection (RFC 9110, section 9.3.6).
func connectRequest(host string, port int) string {
	target := net.JoinHostPort(host, strconv.Itoa(port))
	return "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n"
}

// connectRefused says why the proxy made no connection, from the head of its
// answer; nil: it did.
func connectRefused(head string) error {
	line, _, _ := strings.Cut(head, "\r\n")
	version, status, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(version, "HTTP/1.") {
		return fmt.Errorf("the proxy answered %q, which is no HTTP", line)
	}
	if code, _, _ := strings.Cut(status, " "); len(code) != 3 || code[0] != '2' {
		return fmt.Errorf("the proxy answered %q", line)
	}
	return nil
}
