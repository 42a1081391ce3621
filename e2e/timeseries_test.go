//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// forever is how long the servers keep samples: those of tests may be of any
// time.
const forever = "100y"

// server is a real time series database on the loopback interface, with
// storage of its own. It ends with the test, which fails for every warning in
// its log.
type server struct {
	t    testing.TB
	name string
	url  string // without a slash at its end
	log  string // file
	cmd  *exec.Cmd
}

// victoriaMetrics starts an empty VictoriaMetrics, set up for what was
// measured before: with its cache of answers it would warn that it forgets
// them, and the last 30 s it would hide.
func victoriaMetrics(t testing.TB) *server {
	t.Helper()
	address := freeAddress(t)
	return startServer(t, "victoria-metrics", address, "/health",
		"-httpListenAddr="+address, "-storageDataPath="+filepath.Join(t.TempDir(), "storage"), "-retentionPeriod="+forever,
		"-search.disableCache", "-search.disableAutoCacheReset", "-search.latencyOffset=0s")
}

// prometheus starts a Prometheus that holds the samples of OpenMetrics files,
// which promtool makes blocks of, and scrapes nothing.
func prometheus(t testing.TB, files ...string) *server {
	t.Helper()
	dir := t.TempDir()
	blocks, config := filepath.Join(dir, "blocks"), filepath.Join(dir, "prometheus.yml")
	for _, file := range files {
		backfill(t, file, blocks)
	}
	if err := os.WriteFile(config, []byte("global: {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	return startServer(t, "prometheus", address, "/-/ready",
		"--config.file="+config, "--web.listen-address="+address, "--storage.tsdb.path="+blocks, "--storage.tsdb.retention.time="+forever)
}

// backfill makes blocks of a file as docs/dashboards.md says. promtool has no
// levels; whatever it calls a warning or an error is one.
func backfill(t testing.TB, file, blocks string) {
	t.Helper()
	out, err := exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", file, blocks).CombinedOutput()
	if err != nil || complaint.Match(out) {
		t.Fatalf("promtool does not take %s: %v\n%s", file, err, out)
	}
}

// freeAddress is an address that nobody listens on right now.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it never accepted anything
	return l.Addr().String()
}

func startServer(t testing.TB, program, address, ready string, args ...string) *server {
	t.Helper()
	s := &server{t: t, name: program, url: "http://" + address, log: filepath.Join(t.TempDir(), program+".log")}
	log, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(program, args...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = s.cmd.Start()
	_ = log.Close() // the server has its own descriptor
	if err != nil {
		t.Fatalf("%v (`make test-tools` installs the package)", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = s.cmd.Wait() // its log says why
		close(ended)
	}()
	t.Cleanup(func() {
		s.wantQuiet()                             // to be ended is a warning for Prometheus
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		<-ended
	})
	eventually(t, program, func() bool {
		select {
		case <-ended:
			t.Fatalf("%s ended:\n%s", program, s.logged())
		default:
		}
		response, err := http.Get(s.url + ready)
		if err != nil {
			return false
		}
		_ = response.Body.Close() // the status is all
		return response.StatusCode == http.StatusOK
	})
	return s
}

func (s *server) logged() string {
	s.t.Helper()
	text, err := os.ReadFile(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// complaint is a line of a log above the level of information.
var complaint = regexp.MustCompile(`(?i)\b(level=(warn|error)|warn(ing)?|error|panic|fatal)\b`)

// wantQuiet fails the test for every warning in the server's log.
func (s *server) wantQuiet() {
	s.t.Helper()
	lines := bufio.NewScanner(strings.NewReader(s.logged()))
	for lines.Scan() {
		if complaint.MatchString(lines.Text()) {
			s.t.Errorf("%s says: %s", s.name, lines.Text())
		}
	}
}

// load sends an OpenMetrics file to a VictoriaMetrics and waits until it can
// be queried.
func (s *server) load(file string) {
	s.t.Helper()
	f, err := os.Open(file)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read from
	response, err := http.Post(s.url+"/api/v1/import/prometheus", "text/plain", f)
	if err != nil {
		s.t.Fatal(err)
	}
	said, _ := io.ReadAll(response.Body) // for the message alone
	_ = response.Body.Close()
	if response.StatusCode/100 != 2 {
		s.t.Fatalf("%s does not take %s: %s\n%s", s.name, file, response.Status, said)
	}
	s.get("/internal/force_flush", nil)
}

// get returns the body of a successful answer.
func (s *server) get(path string, query url.Values) []byte {
	s.t.Helper()
	response, err := http.Get(s.url + path + "?" + query.Encode())
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // it was read whole
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s?%s: %s %v\n%s", s.name, path, query.Encode(), response.Status, err, body)
	}
	return body
}

// timeseries is one series of an answer.
type timeseries struct {
	labels map[string]string
	values []float64
}

// query asks for the value of an expression at a time. VictoriaMetrics moves
// times of the last second back, whatever its latencyOffset, unless it is told
// with nocache not to; Prometheus ignores that.
func (s *server) query(expression string, at time.Time) []timeseries {
	s.t.Helper()
	return s.answer("/api/v1/query", url.Values{"query": {expression}, "time": {seconds(at)}, "nocache": {"1"}})
}

// queryRange asks for the values of an expression between two times.
func (s *server) queryRange(expression string, from, to time.Time, step time.Duration) []timeseries {
	s.t.Helper()
	return s.answer("/api/v1/query_range", url.Values{
		"query": {expression}, "start": {seconds(from)}, "end": {seconds(to)}, "step": {fmt.Sprint(step.Seconds())}, "nocache": {"1"},
	})
}

func seconds(at time.Time) string { return fmt.Sprintf("%.3f", float64(at.UnixMilli())/1000) }

// answer decodes vectors and matrices.
func (s *server) answer(path string, query url.Values) []timeseries {
	s.t.Helper()
	var answer struct {
		Status   string
		Warnings []string
		Data     struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
				Values [][2]any
			}
		}
	}
	body := s.get(path, query)
	if err := json.Unmarshal(body, &answer); err != nil || answer.Status != "success" || len(answer.Warnings) > 0 {
		s.t.Fatalf("%s: %s: %v\n%s", s.name, query.Get("query"), err, body)
	}
	var all []timeseries
	for _, r := range answer.Data.Result {
		if r.Values == nil {
			r.Values = [][2]any{r.Value}
		}
		one := timeseries{labels: r.Metric}
		for _, v := range r.Values {
			text, _ := v[1].(string) // what is none does not parse
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				s.t.Fatalf("%s: %s: %v", s.name, query.Get("query"), err)
			}
			one.values = append(one.values, x)
		}
		all = append(all, one)
	}
	return all
}

// value asks for an expression that must have exactly one answer.
func (s *server) value(expression string, at time.Time) float64 {
	s.t.Helper()
	answer := s.query(expression, at)
	if len(answer) != 1 || len(answer[0].values) != 1 {
		s.t.Fatalf("%s: %s has %d answers, want one: %v", s.name, expression, len(answer), answer)
	}
	return answer[0].values[0]
}

// What the servers must take is what a program of ours wrote, and nothing
// that is cut short: the kit notices both.
func TestTimeSeriesServers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "series.om")
	at := time.Date(2026, 11, 2, 8, 0, 0, 123e6, time.UTC)
	text := "# HELP kit_bytes What the test says.\n# TYPE kit_bytes gauge\n# UNIT kit_bytes bytes\n" +
		"kit_bytes{place=\"here\"} 1.5 " + seconds(at) + "\n# EOF\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	vm := victoriaMetrics(t)
	vm.load(file)
	for _, s := range []*server{vm, prometheus(t, file)} {
		if got := s.value(`kit_bytes{place="here"}`, at.Add(time.Second)); got != 1.5 {
			t.Errorf("%s answers %v, want 1.5", s.name, got)
		}
		if got := s.queryRange("kit_bytes", at.Add(-time.Second), at.Add(time.Second), time.Second); len(got) != 1 {
			t.Errorf("%s has %d series over time, want one", s.name, len(got))
		}
	}
	cut := filepath.Join(t.TempDir(), "cut.om")
	if err := os.WriteFile(cut, []byte(strings.TrimSuffix(text, "# EOF\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", cut, t.TempDir()).CombinedOutput(); err == nil {
		t.Errorf("promtool takes a file without an end, so that it proves nothing:\n%s", out)
	}
	for line, want := range map[string]bool{
		"2026-11-22T10:33:45Z\twarn\tlib/x.go:1\tcannot parse": true,
		"ts=2026 caller=x level=error component=tsdb":          true,
		"ts=2026 caller=x level=info component=tsdb":           false,
	} {
		if complaint.MatchString(line) != want {
			t.Errorf("is a complaint is %v: %s", !want, line)
		}
	}
}
