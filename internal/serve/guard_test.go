package serve

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
)

// Requests that change something, or that another site's page makes, are
// refused wherever they go.
func TestWhoIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	create(t, dir).measure(1)
	s := serve(t, dir, func(o *Options) { o.Names = []string{"Bench.example"} })
	for _, c := range []struct {
		method string
		header http.Header
		want   int
	}{
		{"GET", nil, http.StatusOK},
		{"HEAD", nil, http.StatusOK},
		{"POST", nil, http.StatusMethodNotAllowed},
		{"DELETE", nil, http.StatusMethodNotAllowed},
		{"GET", http.Header{"Host": {"localhost:9000"}}, http.StatusOK},
		{"GET", http.Header{"Host": {"[::1]:80"}}, http.StatusOK},
		{"GET", http.Header{"Host": {"bench.example"}}, http.StatusOK},
		{"GET", http.Header{"Host": {"evil.example"}}, http.StatusForbidden},
		{"GET", http.Header{"Host": {"127.0.0.1.evil.example:80"}}, http.StatusForbidden},
		{"GET", http.Header{"Host": {"localhost.evil.example"}}, http.StatusForbidden},
		{"GET", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}}, http.StatusForbidden},
		{"GET", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}}, http.StatusOK},
		{"GET", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Sec-Fetch-Mode": {"cors"}}, http.StatusOK},
	} {
		for _, path := range []string{"/", "/live.js", "/raw/1/host/tcp-pod-single/1/client.json"} {
			code, _, header := s.ask(c.method, path, c.header)
			if code != c.want {
				t.Errorf("%s %s with %v: status %d, want %d", c.method, path, c.header, code, c.want)
			}
			for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Cross-Origin-Resource-Policy"} {
				if header.Get(name) == "" {
					t.Errorf("%s %s with %v: no %s", c.method, path, c.header, name)
				}
			}
		}
	}
}

// Pages run the server's script and those that were named, and none that a
// file might bring.
func TestPolicy(t *testing.T) {
	got := policy([]string{"'sha256-abc'"})
	if !strings.HasPrefix(got, "default-src 'none'; ") || !strings.HasSuffix(got, "script-src 'self' 'sha256-abc'") {
		t.Errorf("the policy is %s", got)
	}
	if _, script, _ := strings.Cut(got, "script-src"); strings.Contains(script, "unsafe") {
		t.Errorf("any script may run: %s", got)
	}
}

// Every script that a report brings is one that its page may run.
func TestReportScriptsMayRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	create(t, dir).measure(6)
	sources, err := report.ScriptSources()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, func(o *Options) { o.Scripts = sources })
	_, body, header := s.ask(http.MethodGet, "/", nil)
	found := 0
	for _, script := range regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(body, -1) {
		found++
		digest := sha256.Sum256([]byte(script[1]))
		if source := "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"; !strings.Contains(header.Get("Content-Security-Policy"), source) {
			t.Errorf("the policy does not let this run:\n%.300s", script[1])
		}
	}
	if found == 0 {
		t.Error("the report has no script: nothing was looked at")
	}
}

// Evidence is what the journal names, and what lies there itself.
func TestEvidence(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	c.measure(2)
	secret := filepath.Join(t.TempDir(), "secret.txt")
	write(t, secret, "nobody's business")
	raw := filepath.Join(dir, "raw", "1", "host", "tcp-pod-single", "1")
	write(t, filepath.Join(raw, "page.html"), "<script>alert(1)</script>")
	write(t, filepath.Join(raw, "a <b>.log"), "a line")
	write(t, filepath.Join(raw, "100%?.log"), "another line")
	for link, target := range map[string]string{"out.txt": secret, "in.txt": "client.json", "up.txt": "../../../../../plan.json"} {
		if err := os.Symlink(target, filepath.Join(raw, link)); err != nil {
			t.Fatal(err)
		}
	}
	// It is there, but no line of the journal is.
	if _, _, err := c.MakeRaw(trial(c.plan, 2).Key(), 1); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, trial(c.plan, 2).Raw, "client.json"), "unfinished")

	s := serve(t, dir)
	s.want("/raw/", http.StatusOK, "1/host/tcp-pod-single/1/")
	list := s.want("/raw/1/host/tcp-pod-single/1/", http.StatusOK, "client.json", "a <b>.log", "100%?.log")
	if !strings.Contains(list, `href="./100%25%3F.log"`) {
		t.Error("a link does not lead to its file")
	}
	if strings.Contains(list, "<b>") {
		t.Error("the name of a file is markup")
	}
	s.want("/raw/1/host/tcp-pod-single/1/client.json", http.StatusOK, "made up")
	s.want("/raw/1/host/tcp-pod-single/1/in.txt", http.StatusOK, "made up")
	s.want("/raw/1/host/tcp-pod-single/1/a%20%3Cb%3E.log", http.StatusOK, "a line")
	for _, path := range []string{
		"/raw/1/host/tcp-pod-single/1/out.txt",
		"/raw/1/host/tcp-pod-single/1/none.txt",
		"/raw/1/host/tcp-pod-single/1/..%2f..%2f..%2f..%2f..%2fplan.json",
		"/raw/1/host/tcp-pod-single/1/%2e%2e/1/client.json",
		"/raw/1/host/tcp-pod-single/client.json",
		"/raw/1/host/tcp-pod-single/2/client.json",
		"/raw/2/flannel-vxlan/tcp-pod-single/1/client.json",
		"/raw/..%2fplan.json", "/raw/%2fetc/passwd", "/raw//etc/passwd", "/plan.json", "/raw/1/",
	} {
		code, body := s.get(path)
		if code == http.StatusOK || strings.Contains(body, "nobody's business") || strings.Contains(body, "made up") || strings.Contains(body, "unfinished") {
			t.Errorf("GET %s: status %d, %.200s", path, code, body)
		}
	}
	for path, kind := range map[string]string{"client.json": "text/plain; charset=utf-8", "page.html": "application/octet-stream"} {
		_, _, header := s.ask(http.MethodGet, "/raw/1/host/tcp-pod-single/1/"+path, nil)
		if header.Get("Content-Type") != kind || header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s is sent as %v", path, header)
		}
	}
}

// A journal that names other directories as its evidence gets nothing from
// there.
func TestEvidenceElsewhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	stray := trial(c.plan, 0)
	stray.Raw = ".."
	if err := c.Append(stray); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(filepath.Dir(dir), "secret.txt"), "nobody's business")
	s := serve(t, dir)
	s.want("/", http.StatusOK)
	s.want("/raw/", http.StatusOK, "No attempt has finished.")
	for _, path := range []string{"/raw/../secret.txt", "/raw/..%2fsecret.txt", "/raw/%2e%2e/secret.txt"} {
		if code, body := s.get(path); code == http.StatusOK || strings.Contains(body, "nobody's") {
			t.Errorf("GET %s: status %d, %.200s", path, code, body)
		}
	}
}

// A pipe would make a reader wait for ever.
func TestPipesAreNotRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	c.measure(1)
	file := filepath.Join(dir, result.EnvironmentFile)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	makePipe(t, file)
	makePipe(t, filepath.Join(dir, "raw", "1", "host", "tcp-pod-single", "1", "pipe.txt"))
	s := serve(t, dir)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		s.want("/", http.StatusServiceUnavailable, "no regular file")
		s.want("/raw/1/host/tcp-pod-single/1/pipe.txt", http.StatusNotFound)
	}()
	select {
	case <-answered:
	case <-time.After(2 * time.Minute):
		t.Fatal("the server waits for a pipe")
	}
}
