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
	answerTimeout  = 2 * time.Second
)

// answers tries an endpoint of Service.After once.
func answers(endpoint string) bool {
	kind, address, _ := strings.Cut(endpoint, ":")
	network := kind
	if kind == "readyz" {
		network = "tcp"
	}
	conn, err := net.DialTimeout(network, address, answerTimeout)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // it was only a question
	return kind != "readyz" || ready(conn)
}

// ready asks an API server, which tells everybody, whether it is ready. The
// request is written by hand because an HTTP client would double the size of
// a program that is the pause process of every pod.
func ready(conn net.Conn) bool {
	// Who answers does not matter: only the lab's own server can have the
	// address.
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // #nosec G402
	if err := secure.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return false
	}
	if _, err := io.WriteString(secure, "GET /readyz HTTP/1.0\r\n\r\n"); err != nil {
		return false
	}
	const ok = "HTTP/1.0 200"
	status := make([]byte, len(ok))
	_, err := io.ReadFull(secure, status)
	return err == nil && string(status) == ok
}
