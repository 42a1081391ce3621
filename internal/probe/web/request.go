package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxHead bounds the head of a request, in bytes.
const maxHead = 16 << 10

// errHead says that a head is longer than any that is taken.
var errHead = fmt.Errorf("the request's head is longer than %d bytes", maxHead)

// request is what the server must know of a request (RFC 9112, sections 3 and
// 9.3).
type request struct {
	method string
	agent  string // User-Agent
	last   bool   // the connection ends with the answer
}

// readRequest reads a request without a body. The error is io.EOF where the
// connection ends before one begins.
func readRequest(r *bufio.Reader) (request, error) {
	left := maxHead
	line, err := readLine(r, &left)
	if err != nil {
		return request{}, err
	}
	method, rest, _ := strings.Cut(line, " ")
	target, version, ok := strings.Cut(rest, " ")
	if !ok || method == "" || target == "" || version != "HTTP/1.1" && version != "HTTP/1.0" {
		return request{}, errors.New("no request line of HTTP/1.0 or HTTP/1.1")
	}
	if method != "GET" && method != "HEAD" {
		return request{}, errors.New("a method other than GET and HEAD")
	}
	q := request{method: method, last: version == "HTTP/1.0"}
	for {
		line, err := readLine(r, &left)
		if errors.Is(err, io.EOF) {
			return request{}, io.ErrUnexpectedEOF
		}
		if err != nil {
			return request{}, err
		}
		if line == "" {
			return q, nil
		}
		if err := q.read(line); err != nil {
			return request{}, err
		}
	}
}

// read takes one header field.
func (q *request) read(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return errors.New("a header field without a colon")
	}
	value = strings.TrimSpace(value)
	switch strings.ToLower(name) {
	case "user-agent":
		q.agent = value
	case "connection":
		q.last = strings.EqualFold(value, "close") || q.last && !strings.EqualFold(value, "keep-alive")
	case "content-length", "transfer-encoding":
		if value != "0" {
			return errors.New("a request with a body")
		}
	}
	return nil
}

// readLine reads a line without its end and takes its length off what is left.
func readLine(r *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		*left -= len(part)
		if *left < 0 {
			return "", errHead
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return "", io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", err
		}
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}
