package prometheus

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// fake answers like the API of a Prometheus.
type fake struct {
	*httptest.Server
	answers map[string]string // results by query, as the API has them; none: bad data
	asked   []string          // queries with their times
	auth    string            // of the last request
	broken  int               // answers left that are a gateway's error
}

func newFake(t *testing.T, answers map[string]string) *fake {
	f := &fake{answers: answers}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.auth = r.Header.Get("Authorization")
		if f.broken > 0 {
			f.broken--
			http.Error(w, "bad gateway", http.StatusBadGateway)
			return
		}
		query := r.FormValue("query")
		f.asked = append(f.asked, query+" @ "+r.FormValue("time"))
		answer, known := f.answers[query]
		w.Header().Set("Content-Type", "application/json")
		if !known {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"status":"error","errorType":"bad_data","error":"parse error: unexpected end of input"}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"status":"success","data":%s}`, answer)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) connect(t *testing.T, c Config) *Server {
	t.Helper()
	c.URL = f.URL
	s, err := Connect(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// vector is an answer with series of these values.
func vector(values ...string) string {
	var series []string
	for i, v := range values {
		quoted, _ := json.Marshal(v) // text has JSON
		series = append(series, fmt.Sprintf(`{"metric":{"node":"%d"},"value":[1700000000,%s]}`, i, quoted))
	}
	return `{"resultType":"vector","result":[` + strings.Join(series, ",") + `]}`
}

var (
	begin = time.Unix(1_700_000_000, 0).UTC()
	end   = begin.Add(12_345 * time.Millisecond)
)

func TestAsk(t *testing.T) {
	for query, test := range map[string]struct{ answer, want string }{
		"one":       {vector("41.5"), "41.5"},
		"scalar":    {`{"resultType":"scalar","result":[1700000000,"7"]}`, "7"},
		"empty":     {vector(), "the answer is empty"},
		"several":   {vector("1", "2"), `the answer has 2 series, such as {node="0"} and {node="1"}; aggregate them`},
		"no number": {vector("NaN"), "the answer is NaN"},
		"infinite":  {vector("+Inf"), "the answer is +Inf"},
		"range":     {`{"resultType":"matrix","result":[]}`, "the answer is a matrix, not a number"},
		"wrong":     {"", "bad_data: parse error: unexpected end of input"},
	} {
		t.Run(query, func(t *testing.T) {
			answers := map[string]string{query: test.answer}
			if test.answer == "" {
				answers = nil
			}
			f := newFake(t, answers)
			n, err := f.connect(t, Config{}).Ask(t.Context(), query, begin, end)
			got := fmt.Sprint(n.Value)
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%s", got)
			}
			if len(f.asked) != 1 {
				t.Errorf("it was asked %q", f.asked)
			}
		})
	}
}

// A query is of the window: as of its end, over its length.
func TestAskWindow(t *testing.T) {
	f := newFake(t, map[string]string{"avg(rate(x[12345ms]))": vector("1")})
	if _, err := f.connect(t, Config{}).Ask(t.Context(), "avg(rate(x[$window]))", begin, end); err != nil {
		t.Fatal(err, f.asked)
	}
	if want := "avg(rate(x[12345ms])) @ 1700000012.345"; f.asked[0] != want {
		t.Errorf("asked %s", f.asked[0])
	}
}

// A gateway's error is not the server's last word.
func TestAskAgain(t *testing.T) {
	f := newFake(t, map[string]string{"x": vector("1")})
	f.broken = 1
	if n, err := f.connect(t, Config{}).Ask(t.Context(), "x", begin, end); err != nil || n.Value != 1 {
		t.Errorf("%v, %v", n, err)
	}
	f.broken = 100
	if _, err := f.connect(t, Config{}).Ask(t.Context(), "x", begin, end); err == nil || f.broken != 100-tries {
		t.Errorf("%v after %d tries", err, 100-f.broken)
	}
}

func TestCredentials(t *testing.T) {
	f := newFake(t, map[string]string{"x": vector("1")})
	for want, c := range map[string]Config{
		"Bearer abc": {Token: "abc"}, "Basic bWU6c2VjcmV0": {Username: "me", Password: "secret"}, "": {},
	} {
		if _, err := f.connect(t, c).Ask(t.Context(), "x", begin, end); err != nil {
			t.Fatal(err)
		}
		if f.auth != want {
			t.Errorf("authorization %q, not %q", f.auth, want)
		}
	}
}

// Await waits for scrapes after the window's end, but not for ever.
func TestAwait(t *testing.T) {
	stamp := func(at time.Time) string { return vector(fmt.Sprint(float64(at.UnixMilli()) / 1000)) }
	fresh := newFake(t, map[string]string{newest: stamp(end.Add(time.Second))})
	if err := fresh.connect(t, Config{Wait: time.Hour}).Await(t.Context(), end); err != nil {
		t.Error(err)
	}
	behind := newFake(t, map[string]string{newest: stamp(end.Add(-5 * time.Second))})
	err := behind.connect(t, Config{Wait: time.Second}).Await(t.Context(), end)
	if err == nil || !strings.Contains(err.Error(), "more than 1s behind: its targets were last scraped 5.0 s before the window's end") {
		t.Error(err)
	}
	// What others write has no scrapes: it is given its time.
	written := newFake(t, map[string]string{newest: vector()})
	if err := written.connect(t, Config{Wait: 1500 * time.Millisecond}).Await(t.Context(), end); err != nil || len(written.asked) < 2 {
		t.Error(err, written.asked)
	}
}

func TestAwaitNobody(t *testing.T) {
	f := newFake(t, nil)
	s := f.connect(t, Config{Wait: time.Hour})
	f.Close()
	if err := s.Await(t.Context(), end); err == nil || !strings.Contains(err.Error(), "connection refused") || strings.Count(err.Error(), f.URL) != 1 {
		t.Errorf("%v", err)
	}
}
