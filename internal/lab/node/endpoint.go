//go:build linux

package node

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"time"
)

const (
	// dependencyPoll is how often an endpoint is tried.
	dependencyPoll = 50 * time.Millisecond
	// An API server accepts connections long before it serves them, and a
	// question asked too early hangs. So patience begins small, to be there
	// when the server is ready, and grows for machines that are slow.
	firstPatience = 200 * time.Millisecond
	lastPatience  = 5 * time.Second
)

// await returns when an endpoint of Service.After answers.
func await(endpoint string) {
	for patience := firstPatience; !answers(endpoint, patience); patience = min(2*patience, lastPatience) {
		time.Sleep(dependencyPoll)
	}
}

// answers tries an endpoint once.
func answers(endpoint string, patience time.Duration) bool {
	kind, address, _ := strings.Cut(endpoint, ":")
	network := kind
	if kind == "readyz" || kind == "https" {
		network = "tcp"
	}
	conn, err := net.DialTimeout(network, address, patience)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // it was only a question
	return network == kind || respond(conn, patience, kind == "readyz")
}

// respond asks a server whether it is ready, which API servers tell everybody,
// and returns whether it answered at all or, if need be, that it is. The
// request is written by hand because an HTTP client would double the size of
// a program that is the pause process of every pod.
func respond(conn net.Conn, patience time.Duration, mustBeReady bool) bool {
	// Who answers does not matter: only the lab's own server can have the
	// address.
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // #nosec G402
	if err := secure.SetDeadline(time.Now().Add(patience)); err != nil {
		return false
	}
	if _, err := io.WriteString(secure, "GET /readyz HTTP/1.0\r\n\r\n"); err != nil {
		return false
	}
	const ok = "HTTP/1.0 200"
	status := make([]byte, len(ok))
	_, err := io.ReadFull(secure, status)
	return err == nil && (!mustBeReady || string(status) == ok)
}
