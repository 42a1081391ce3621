package cni

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// A probe that ended before anything was asked says why, whichever way the
// caller notices.
func TestRelayTellsWhy(t *testing.T) {
	conn := relay(t.Context(), func(_ context.Context, _ []string, _ io.Reader, _, stderr io.Writer) error {
		_, _ = io.WriteString(stderr, "cnibench-probe: error: connection refused\n")
		return errors.New("exit status 1")
	}, "127.0.0.1:1")
	defer func() { _ = conn.Close() }()
	if _, err := conn.Read(make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("reading: %v", err)
	}
	if _, err := conn.Write([]byte("GET")); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("writing: %v", err)
	}
}
