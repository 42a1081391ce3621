package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/probe/web"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

func httpDefaults() parameter.Values {
	v := parameter.Values{}
	for _, p := range httpParameters {
		v[p.Name] = p.Defaults()[0]
	}
	return v
}

func TestHTTPSpec(t *testing.T) {
	v := httpDefaults()
	v["users"], v["rate"] = "200", "1000"
	spec, err := httpSpec(toHosts("10.96.0.7:5280", "web-2.cnibench.svc:5280"), v)
	if err != nil {
		t.Fatal(err)
	}
	// 12 s of load, 10 s for the last answers, 15 s and 10 ms for each user.
	if spec.Timeout != 39*time.Second || len(spec.Processes) != 1 || len(spec.Listen) > 0 {
		t.Errorf("timeout %s, %d processes", spec.Timeout, len(spec.Processes))
	}
	want := `const load = {"targets":["http://10.96.0.7:5280/","http://web-2.cnibench.svc:5280/"],"rate":1000,"users":200,` +
		`"durationMs":10000,"omitMs":2000,"timeoutMs":10000};`
	if first, _, _ := strings.Cut(spec.Processes[0].Stdin, "\n"); first != want {
		t.Errorf("the script begins with\n%s\nwant\n%s", first, want)
	}
}

// k6Example is a load of which everything can go wrong that is no failure.
func k6Example() load.K6Result {
	p999 := 80 * time.Millisecond
	return load.K6Result{
		Window: sample.Window{Start: time.UnixMilli(0), End: time.UnixMilli(9999)}, Requests: 10000, Failed: 25, Dropped: 3,
		Mean: 5 * time.Millisecond, SD: 2 * time.Millisecond, P50: 4 * time.Millisecond, P95: 10 * time.Millisecond, P99: 20 * time.Millisecond,
		P999: &p999, Max: 90 * time.Millisecond, Problem: "request failed: refused",
	}
}

func TestHTTPValues(t *testing.T) {
	values, err := httpValues(k6Example())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range values {
		got[v.Name] = fmt.Sprintf("%.4g %s", v.Value, v.Unit)
	}
	want := map[string]string{
		"latency-p50": "0.004 s", "latency-p95": "0.01 s", "latency-p99": "0.02 s", "latency-p999": "0.08 s", "latency-mean": "0.005 s",
		"latency-sd": "0.002 s", "rate": "997.5 1/s", "errors": "0.25 percent",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	few := k6Example()
	few.P999 = nil
	if values, err := httpValues(few); err != nil || len(values) != len(want)-1 {
		t.Errorf("without p99.9: %d values, %v", len(values), err)
	}
	if _, err := httpValues(load.K6Result{Requests: 1}); err == nil {
		t.Error("one request has a rate")
	}
}

func TestHTTPMarks(t *testing.T) {
	want := []result.Mark{
		{Name: "generator-limited", Detail: "3 requests were not begun because all users waited for answers"},
		{Name: "requests-failed", Detail: "25 of 10000, the first because: request failed: refused"},
		{Name: "threshold-broken", Detail: "p99 is 20ms, and 19ms was promised"},
	}
	if diff := cmp.Diff(want, httpMarks(k6Example(), 19*time.Millisecond)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	fine := k6Example()
	fine.Failed, fine.Dropped = 0, 0
	for _, threshold := range []time.Duration{0, 20 * time.Millisecond} {
		if got := httpMarks(fine, threshold); len(got) > 0 {
			t.Errorf("threshold %s: %+v", threshold, got)
		}
	}
}

func TestHTTPFacts(t *testing.T) {
	ran := httpRun{
		pair:   stage.Pair{Client: cluster.Pod{IP: "10.244.0.2", Node: "node1"}, Server: cluster.Pod{IP: "198.18.0.12", Node: "node2", HostNetwork: true}},
		client: probe.LoadReport{Processes: []probe.ProcessReport{{UserSeconds: 1, SystemSeconds: 0.5}}},
		server: web.Report{Requests: 12345, Connections: map[string]int64{"Grafana k6/1.8.1": 50, "cnibench-probe": 1}},
	}
	got := httpFacts(ran, k6Example(), 20*time.Millisecond)
	for name, want := range map[string]string{
		"k6": "1.8.1", "connections": "50", "client": "pod 10.244.0.2 on node1", "server": "host-network pod 198.18.0.12 on node2",
		"requests": "10000 after the warm-up, 25 failed, 3 dropped in all", "requests answered": "12345", "threshold": "p99 20ms: kept",
		"client CPU seconds": "1.50", "slowest request": "90ms",
	} {
		if got[name] != want {
			t.Errorf("fact %s is %q, want %q", name, got[name], want)
		}
	}
}
