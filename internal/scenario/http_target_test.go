package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/stage"
)

// scriptOf is the line that defines the load of a goal.
func scriptOf(t *testing.T, goal httpGoal) string {
	t.Helper()
	spec, err := httpSpec(goal, httpDefaults())
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(spec.Processes[0].Stdin, "\n")
	return line
}

// TestTargetScript: a name takes the URL's place over TLS, where the server
// hears it before any header.
func TestTargetScript(t *testing.T) {
	for name, tt := range map[string]struct {
		target plan.Target
		want   []string
	}{
		"plain":   {plan.Target{URL: "http://shop.example.com/cart?a=b"}, []string{`"targets":["http://shop.example.com/cart?a=b"]`, `"foreign":true}`}},
		"header":  {plan.Target{URL: "http://shop/", Host: "other.example.com"}, []string{`"targets":["http://shop/"]`, `"headers":{"Host":"other.example.com"}`}},
		"TLS":     {plan.Target{URL: "https://shop/", Insecure: true}, []string{`"targets":["https://shop/"]`, `"insecure":true`}},
		"name":    {plan.Target{URL: "https://192.0.2.7/x", Host: "Shop.example.com"}, []string{`"targets":["https://Shop.example.com/x"]`, `"hosts":{"shop.example.com":"192.0.2.7"}`}},
		"port":    {plan.Target{URL: "https://192.0.2.7:8443", Host: "shop"}, []string{`"targets":["https://shop:8443"]`, `"hosts":{"shop":"192.0.2.7"}`}},
		"address": {plan.Target{URL: "https://[fd00::1]:8443/", Host: "shop"}, []string{`"targets":["https://shop:8443/"]`, `"hosts":{"shop":"fd00::1"}`}},
	} {
		got := scriptOf(t, httpGoal{target: &tt.target})
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s lacks %s", name, got, want)
			}
		}
	}
	if _, err := httpSpec(httpGoal{target: &plan.Target{URL: "https://shop/", Host: "other"}}, httpDefaults()); err == nil {
		t.Error("a name behind a name was accepted")
	}
	if got := scriptOf(t, httpGoal{hosts: []string{"192.0.2.7:80"}, header: "web.cnibench.internal"}); !strings.Contains(got, `"headers":{"Host":"web.cnibench.internal"}}`) {
		t.Errorf("through an Ingress: %s", got)
	}
}

func TestTargetFacts(t *testing.T) {
	ran := httpRun{
		pair:   stage.Pair{Client: cluster.Pod{IP: "10.244.0.2", Node: "node1"}},
		goal:   httpGoal{target: &plan.Target{Name: "shop", URL: "https://192.0.2.7/", Host: "shop.example.com", Insecure: true}},
		client: probe.LoadReport{Processes: []probe.ProcessReport{{}}},
	}
	k6 := k6Example()
	k6.Seen = load.K6Seen{
		Statuses: map[string]int64{"503": 25, "200": 9000, "302": 975}, Protocols: map[string]int64{"HTTP/2.0": 10000}, Remotes: []string{"192.0.2.7:443"},
	}
	got := httpFacts(ran, k6, 0)
	for _, name := range []string{"requests", "late start p99", "slowest request", "client sysctls", "client CPU seconds"} {
		delete(got, name) // which TestHTTPFacts looks at
	}
	want := map[string]string{
		"client": "pod 10.244.0.2 on node1", "target": "shop", "url": "https://192.0.2.7/", "host": "shop.example.com", "certificate": "not checked",
		"statuses": "200 ×9000, 302 ×975, 503 ×25", "protocol": "HTTP/2.0 ×10000", "remote address": "192.0.2.7:443",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestHTTPMisfit(t *testing.T) {
	for _, tt := range []struct{ change, want string }{
		{"", ""},
		{"path=ingress", ""},
		{"path=ingress ingress-class=nginx", ""},
		{"ingress-class=nginx", "ingress-class nginx is of an Ingress, and path is cluster-ip"},
		{"path=ingress services=2", "2 Services are not addressed by path ingress"},
		{"path=pod-ip services=2", "2 Services are not addressed by path pod-ip"},
		{"target=shop", ""},
		{"target=shop client=host placement=same-node rate=7 threshold=1s", ""},
		{"target=shop path=pod-ip", "path is about one of our own"},
		{"target=shop path=ingress", "path is about one of our own"},
		{"target=shop ingress-class=nginx", "ingress-class is about one of our own"},
		{"target=shop services=2", "services is about one of our own"},
		{"target=shop server=host", "server is about one of our own"},
		{"target=shop body-size=4KiB", "body-size is about one of our own"},
		{"target=shop server-delay=1ms", "server-delay is about one of our own"},
		{"target=shop server-pause=1ms", "server-pause is about one of our own"},
	} {
		v := httpDefaults()
		for _, field := range strings.Fields(tt.change) {
			name, value, _ := strings.Cut(field, "=")
			v[name] = value
		}
		problem, remedy := httpMisfit(v)
		if (problem == "") != (tt.want == "") || !strings.Contains(problem, tt.want) || (problem == "") != (remedy == "") {
			t.Errorf("%s: %q, %q; want %q", tt.change, problem, remedy, tt.want)
		}
	}
}
