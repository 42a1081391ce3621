package node

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// apiServer answers every request with a status, as an API server would
// answer the check of its readiness.
func apiServer(t *testing.T, status int) (address string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func TestAnswers(t *testing.T) {
	socket := listen(t, "unix", filepath.Join(t.TempDir(), "s"))
	tcp := listen(t, "tcp", "127.0.0.1:0")
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	for _, tt := range []struct {
		name, endpoint string
		want           bool
	}{
		{"socket", "unix:" + socket, true},
		{"no socket", "unix:" + socket + ".other", false},
		{"port", "tcp:" + tcp, true},
		{"closed port", "tcp:127.0.0.1:1", false},
		{"API server that is ready", "readyz:" + apiServer(t, http.StatusOK), true},
		{"API server that is starting", "readyz:" + apiServer(t, http.StatusInternalServerError), false},
		{"API server that is not there", "readyz:127.0.0.1:1", false},
		{"API server that only answers", "https:" + apiServer(t, http.StatusInternalServerError), true},
		{"API server that does not answer yet", "https:" + tcp, false},
		{"server without TLS", "readyz:" + strings.TrimPrefix(plain.URL, "http://"), false},
		{"no endpoint", "", false},
		{"unknown kind", "carrier-pigeon:home", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := answers(tt.endpoint, time.Second); got != tt.want {
				t.Errorf("answers(%q) is %t", tt.endpoint, got)
			}
		})
	}
}
