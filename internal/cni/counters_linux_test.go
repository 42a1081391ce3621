package cni

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/probe"
)

// here runs cnibench-probe in this process.
func here(_ context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if status := probe.Main(args, stdin, stdout, stderr); status != 0 {
		return fmt.Errorf("exit status %d", status)
	}
	return nil
}

// An endpoint is read through a probe, by HTTP and by HTTPS whoever signed it.
func TestGetThrough(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.Error(w, "not here", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, ciliumBefore+strings.Repeat("# a long comment\n", 10_000))
	})
	plain, tls := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer tls.Close()
	for _, test := range []struct {
		server   *httptest.Server
		endpoint Endpoint
		wrong    string
	}{
		{plain, Endpoint{}, ""},
		{tls, Endpoint{TLS: true}, ""},
		{plain, Endpoint{Path: "/other"}, "401 Unauthorized"},
		{plain, Endpoint{TLS: true}, "HTTP response to HTTPS client"},
	} {
		text, err := getThrough(t.Context(), here, test.endpoint, test.server.Listener.Addr().String())
		if test.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%+v: %v", test.endpoint, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if f, err := ParseCounters(text); err != nil || f.by("cilium_drop_count_total", []string{"reason"})["Policy denied"] != 7 {
			t.Errorf("%+v: %v, %v", test.endpoint, f, err)
		}
	}
}

// A refused connection is told as such.
func TestGetThroughRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := getThrough(t.Context(), here, Endpoint{}, l.Addr().String()); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v", err)
	}
}
