package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// start serves on the loopback and returns the address; end stops it and
// returns its report.
func start(t *testing.T, spec Spec) (address string, end func() Report) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ports, reports := make(chan int, 1), make(chan Report, 1)
	go func() {
		report, err := Serve(ctx, spec, func(r Ready) error { ports <- r.Port; return nil })
		if err != nil {
			t.Error(err)
		}
		close(ports)
		reports <- report
	}()
	port, ok := <-ports
	if !ok {
		t.FailNow()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), func() Report { cancel(); return <-reports }
}

// TestServe asks with Go's own client, which keeps its connection.
func TestServe(t *testing.T) {
	address, end := start(t, Spec{BodyBytes: 100_000})
	client := &http.Client{Transport: &http.Transport{}}
	for range 3 {
		answer, err := client.Get("http://" + address + "/any/path?query")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if answer.StatusCode != http.StatusOK || len(body) != 100_000 || answer.ContentLength != 100_000 || err != nil {
			t.Fatalf("status %d, %d bytes of %d, %v", answer.StatusCode, len(body), answer.ContentLength, err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	head, err := client.Head("http://" + address)
	if err != nil || head.ContentLength != 100_000 {
		t.Errorf("HEAD: %+v, %v", head, err)
	}
	want := Report{Requests: 4, Connections: map[string]int64{"Go-http-client/1.1": 1}, Refused: map[string]int64{}}
	if diff := cmp.Diff(want, end()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestServeRefusesBodies(t *testing.T) {
	address, end := start(t, Spec{})
	if answer, err := http.Post("http://"+address, "text/plain", strings.NewReader("x")); err == nil {
		t.Errorf("a POST was answered: %+v, %v", answer, answer.Body.Close())
	}
	if diff := cmp.Diff(map[string]int64{"a method other than GET and HEAD": 1}, end().Refused); diff != "" {
		t.Error(diff)
	}
}

func TestServeWhereThePortIsTaken(t *testing.T) {
	address, _ := start(t, Spec{})
	_, text, _ := net.SplitHostPort(address)
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Serve(t.Context(), Spec{Port: port}, func(Ready) error { t.Error("it serves"); return nil })
	if err == nil || !strings.Contains(err.Error(), "listening on TCP port "+text) {
		t.Errorf("error is %v", err)
	}
}

// TestHold: an answer is never given within a pause, and never later than
// needed.
func TestHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every := time.Duration(rapid.Int64Range(2, int64(time.Second)).Draw(t, "every"))
		s := Spec{
			Delay: time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "delay")),
			Pause: time.Duration(rapid.Int64Range(0, int64(every)-1).Draw(t, "pause")), Every: every,
		}
		at := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "at"))
		held := s.hold(at)
		if held < s.Delay || held > s.Delay+s.Pause {
			t.Fatalf("held for %s", held)
		}
		if place := (at + held) % every; s.Pause > 0 && place >= every-s.Pause {
			t.Fatalf("answered %s into a period of %s, whose last %s are a pause", place, every, s.Pause)
		}
	})
}

func TestValidate(t *testing.T) {
	for name, spec := range map[string]Spec{
		"port": {Port: 70000}, "body": {BodyBytes: -1}, "large body": {BodyBytes: 1 << 30}, "delay": {Delay: -1},
		"pause without a period": {Pause: time.Second}, "pause as long as its period": {Pause: time.Second, Every: time.Second},
	} {
		if spec.Validate() == nil {
			t.Errorf("%s: %+v was accepted", name, spec)
		}
	}
	if err := (Spec{Port: 8080, BodyBytes: 1024, Delay: time.Millisecond, Pause: 200 * time.Millisecond, Every: time.Second}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestReadRequest(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want request
		fail string
	}{
		"plain":               {"GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: k6\r\n\r\n", request{method: "GET", agent: "k6"}, ""},
		"bare line feeds":     {"GET / HTTP/1.1\nHost: a\n\n", request{method: "GET"}, ""},
		"close":               {"GET / HTTP/1.1\r\nConnection: Close\r\n\r\n", request{method: "GET", last: true}, ""},
		"1.0":                 {"HEAD /x HTTP/1.0\r\n\r\n", request{method: "HEAD", last: true}, ""},
		"1.0 that stays open": {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", request{method: "GET"}, ""},
		"empty body":          {"GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", request{method: "GET"}, ""},
		"end":                 {"", request{}, "EOF"},
		"end in the line":     {"GET / HT", request{}, "unexpected EOF"},
		"end in the head":     {"GET / HTTP/1.1\r\nHost: a\r\n", request{}, "unexpected EOF"},
		"another protocol":    {"SSH-2.0-x\r\n", request{}, "no request line of HTTP/1.0 or HTTP/1.1"},
		"HTTP/2":              {"PRI * HTTP/2.0\r\n\r\n", request{}, "no request line of HTTP/1.0 or HTTP/1.1"},
		"body":                {"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", request{}, "a request with a body"},
		"no colon":            {"GET / HTTP/1.1\r\nHost\r\n\r\n", request{}, "a header field without a colon"},
		"endless":             {"GET / HTTP/1.1\r\nA: " + strings.Repeat("x", maxHead), request{}, errHead.Error()},
	} {
		got, err := readRequest(bufio.NewReader(strings.NewReader(tt.text)))
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != tt.want || text != tt.fail {
			t.Errorf("%s: %+v, %v; want %+v, %q", name, got, err, tt.want, tt.fail)
		}
	}
}

// FuzzReadRequest: what is accepted is a request to Go's own parser, too, and
// its end is found where Go finds it.
func FuzzReadRequest(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: k6\r\n\r\nrest"))
	f.Add([]byte("HEAD /x HTTP/1.0\nConnection: keep-alive\n\n"))
	f.Add([]byte("GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ours := bufio.NewReader(bytes.NewReader(data))
		got, err := readRequest(ours)
		if err != nil {
			return
		}
		if got.method != "GET" && got.method != "HEAD" {
			t.Errorf("%q: method %q", data, got.method)
		}
		theirs := bufio.NewReader(bytes.NewReader(data))
		standard, err := http.ReadRequest(theirs)
		if err != nil {
			return // we are less strict, towards load generators
		}
		if standard.Method != got.method || ours.Buffered() != theirs.Buffered() {
			t.Errorf("%q: method %q and %d bytes after it, Go reads %q and %d", data, got.method, ours.Buffered(), standard.Method, theirs.Buffered())
		}
	})
}

func TestFetch(t *testing.T) {
	address, end := start(t, Spec{BodyBytes: 10})
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Fetch(t.Context(), FetchSpec{Targets: []string{address, nobody}, Timeout: 100 * time.Millisecond})
	if err != nil || got.Reached != 1 || !strings.Contains(got.Missing[nobody], "refused") || len(got.Missing) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if report := end(); report.Requests != 1 || report.Connections["cnibench-probe"] != 1 {
		t.Errorf("the server saw %+v", report)
	}
	if _, err := Fetch(t.Context(), FetchSpec{Timeout: time.Second}); err == nil {
		t.Error("nothing to fetch was accepted")
	}
}

// TestFetchHost: what tells hosts apart by their names is told the one that is
// meant.
func TestFetchHost(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "web.example.com" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer site.Close()
	target := strings.TrimPrefix(site.URL, "http://")
	for host, tt := range map[string]struct {
		patience time.Duration
		reached  int
	}{"web.example.com": {time.Minute, 1}, "": {200 * time.Millisecond, 0}} {
		got, err := Fetch(t.Context(), FetchSpec{Targets: []string{target}, Host: host, Timeout: tt.patience})
		if err != nil || got.Reached != tt.reached || len(got.Missing) != 1-tt.reached {
			t.Errorf("host %q: %+v, %v", host, got, err)
		}
	}
}

// TestFetchWaits: a server that comes up late is reached.
func TestFetchWaits(t *testing.T) {
	reserved, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, ok := reserved.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("no TCP address")
	}
	if err := reserved.Close(); err != nil {
		t.Fatal(err)
	}
	results := make(chan Fetched, 1)
	go func() {
		got, err := Fetch(t.Context(), FetchSpec{Targets: []string{address.String()}, Timeout: time.Minute})
		results <- got
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}()
	start(t, Spec{Port: address.Port})
	if got := <-results; got.Reached != 1 {
		t.Errorf("%+v", got)
	}
}
