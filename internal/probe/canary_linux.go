package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"
)

// SendCanary sends what spec says and counts the answers. A datagram that is
// lost is no error, an echo server that cannot be reached over TCP is one of
// the result.
func SendCanary(ctx context.Context, spec CanarySpec) (CanarySent, error) {
	if err := spec.Validate(); err != nil {
		return CanarySent{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout)
	defer cancel()
	var sent CanarySent
	if err := sendDatagrams(ctx, spec, &sent); err != nil {
		sent.Stopped = err.Error()
		return sent, nil
	}
	if spec.Messages > 0 {
		if err := sendMessages(ctx, spec, &sent); err != nil {
			sent.Stopped = err.Error()
		}
	}
	return sent, nil
}

func sendDatagrams(ctx context.Context, spec CanarySpec, sent *CanarySent) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", net.JoinHostPort(spec.Host, strconv.Itoa(spec.Port)))
	if err != nil {
		return fmt.Errorf("sending datagrams: %w", err)
	}
	defer func() { _ = conn.Close() }() // nothing is buffered in it
	sent.Local = conn.LocalAddr().String()
	payload, answer := spec.payload(), make([]byte, maxDatagram)
	for range spec.Datagrams {
		if ctx.Err() != nil {
			return fmt.Errorf("sending datagrams: %w", ctx.Err())
		}
		if _, err := conn.Write(payload); err != nil {
			return fmt.Errorf("sending datagrams: %w", err)
		}
		sent.Datagrams++
		if err := conn.SetReadDeadline(time.Now().Add(spec.Wait)); err != nil {
			return fmt.Errorf("setting the deadline: %w", err)
		}
		n, err := conn.Read(answer)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
		case err != nil:
			return fmt.Errorf("waiting for an answer: %w", err)
		case bytes.Equal(answer[:n], payload):
			sent.DatagramsAnswered++
		}
	}
	return nil
}

func sendMessages(ctx context.Context, spec CanarySpec, sent *CanarySent) error {
	conn, err := (&net.Dialer{Timeout: spec.Wait}).DialContext(ctx, "tcp", net.JoinHostPort(spec.Host, strconv.Itoa(spec.Port)))
	if err != nil {
		return fmt.Errorf("sending over TCP: %w", err)
	}
	defer func() { _ = conn.Close() }() // what counts has been read by then
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return fmt.Errorf("setting the deadline: %w", err)
		}
	}
	payload, answer := spec.payload(), make([]byte, spec.Bytes)
	for range spec.Messages {
		if _, err := conn.Write(payload); err != nil {
			return fmt.Errorf("sending over TCP: %w", err)
		}
		sent.Messages++
		if _, err := io.ReadFull(conn, answer); err != nil {
			return fmt.Errorf("waiting for an answer over TCP: %w", err)
		}
		if !bytes.Equal(answer, payload) {
			return fmt.Errorf("%s: %w", conn.RemoteAddr(), errNoEcho)
		}
		sent.MessagesAnswered++
	}
	return nil
}
