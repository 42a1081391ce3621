//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// scrapingPrometheus starts a Prometheus that scrapes itself once a second.
func scrapingPrometheus(t testing.TB) *server {
	t.Helper()
	dir, address := t.TempDir(), freeAddress(t)
	config := filepath.Join(dir, "prometheus.yml")
	text := "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs: [{job_name: itself, static_configs: [{targets: ['" + address + "']}]}]\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return startServer(t, "prometheus", address, "/-/ready",
		"--config.file="+config, "--web.listen-address="+address, "--storage.tsdb.path="+filepath.Join(dir, "data"))
}

// A real Prometheus adds a metric to every trial, of its window; what it does
// not have is missing with the reason.
func TestPrometheus(t *testing.T) {
	leavesNothing(t)
	s := scrapingPrometheus(t)
	dir := filepath.Join(t.TempDir(), "results")
	file := writeCampaign(t, `
  variants: [host]
  scenarios: [{name: tcp-pod-single, duration: 3s, omit: 0s}]
  blocks: 1
  freshCluster: false
  prometheus:
    url: `+s.url+`
    queries:
      - {name: scrapes, unit: scrapes, better: higher, margin: 1, query: "sum(count_over_time(up[$window]))"}
      - {name: nothing, unit: things, better: lower, margin: 1, query: no_such_metric}
      - {name: many, unit: bytes, better: lower, margin: 1, query: '{__name__=~"process_.*"}'}
`)
	if plan := mustRun(t, "plan", "-f", file).stdout; !strings.Contains(plan, "scrapes (scrapes, higher is better): sum(count_over_time(up[$window]))") {
		t.Errorf("the plan does not show what is asked:\n%s", plan)
	}
	mustRun(t, "run", "--out", dir, "-f", file)
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	// One scrape a second for about three seconds; a busy machine makes fewer.
	v, has := trials[0].Value("scrapes")
	if seconds := trials[0].Window.End.Sub(trials[0].Window.Start).Seconds(); !has || v.Value < 1 || v.Value > seconds+1 || v.Unit != "scrapes" || v.Better != result.Higher {
		t.Errorf("scrapes in %.1f s: %+v", seconds, v)
	}
	if got := trials[0].Missing["nothing"]; got != "the answer is empty" {
		t.Errorf("of a metric that is not there: %q", got)
	}
	if got := trials[0].Missing["many"]; !strings.Contains(got, "series") {
		t.Errorf("of many series: %q", got)
	}
	if report := mustRun(t, "report", dir).stdout; !strings.Contains(report, "scrapes") {
		t.Errorf("the report has no scrapes:\n%s", report)
	}
}

// A Prometheus that nobody can reach costs its metrics and nothing else.
func TestPrometheusUnreachable(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host]
  scenarios: [{name: tcp-pod-single, duration: 1s, omit: 0s}]
  blocks: 1
  freshCluster: false
  prometheus:
    url: http://`+freeAddress(t)+`
    queries: [{name: scrapes, unit: scrapes, better: higher, margin: 1, query: up}]
`))
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	if got := trials[0].Missing["scrapes"]; !strings.Contains(got, "connection refused") {
		t.Errorf("missing is %q", got)
	}
	if _, has := trials[0].Value("scrapes"); has {
		t.Error("there is a figure that nobody gave")
	}
}
