package claims

import (
	"strings"
	"testing"
)

// TestLintFindsWhatDoesNotAddUp has a row for each defect that docs/seeds.md
// lists, recomputed by a person from the documents.
func TestLintFindsWhatDoesNotAddUp(t *testing.T) {
	l, err := Lint(publishedSources(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		claim string
		state State
		words string // of the detail
	}{
		// 003: the table through its own formula
		{"seed-003/cost-cilium", Inconsistent, "= 240705.39 USD/month"},
		{"seed-003/cost-calico-iptables", Inconsistent, "= 252143.96 USD/month"},
		{"seed-003/cost-calico-ebpf", Inconsistent, "= 244887.19 USD/month"},
		{"seed-003/cost-flannel", Inconsistent, "= 232837.14 USD/month"},
		{"seed-003/case-penalty", Inconsistent, "= 1 USD/month"},
		{"seed-003/two-million", Inconsistent, "= 0.0144 million"},
		{"seed-003/twelve-ms", Inconsistent, "= 0.165 ms; that is the largest gap of its table, 73 times smaller"},
		{"seed-003/flannel-saves-14k", Inconsistent, "= 7.6 thousand"},
		{"seed-003/throughput.cilium-kpr", Implausible, "47.2 Gbit/s between nodes: a link of 10 Gbit/s"},
		{"seed-003/throughput.calico-iptables-vxlan", Implausible, "39.1 Gbit/s"},
		{"seed-003/throughput.calico-ebpf-none", Implausible, "43.5 Gbit/s"},
		{"seed-003/throughput.flannel-vxlan", Implausible, "28.4 Gbit/s"},
		{"seed-003/cilium-under-calico-ebpf-27", Inconsistent, "−27 % is claimed; its own figures give 147 (lines 70-76) / 186 (lines 70-76) - 1 = −21.0 %"},
		{"seed-003/flannel-half-the-memory", Inconsistent, "= −42.9 %"},
		{"seed-003/calico-lighter-than-cilium", Inconsistent, "280 MB for calico-ebpf-none"},
		{"seed-003/k6-threshold", Inconsistent, "milliseconds"},
		{"seed-003/fourteen-days", Implausible, "30 days"},
		{"seed-003/ten-thousand-services", Inconsistent, "API server"},
		{"seed-003/k6-output", Implausible, "p99_latency_us"},
		{"seed-003/tuned-conntrack", Implausible, "524288"},
		{"seed-003/tuned-nat", Implausible, "524288"},
		{"seed-003/chart-keys", Implausible, "bpf.ctTcpMax"},
		{"seed-003/histogram", Implausible, "1024 exact microseconds"},
		{"seed-003/byte-order", Implausible, "without a swap"},
		{"seed-003/two-clocks", Implausible, "their own machine's boot"},
		{"seed-003/helm-version", Implausible, "name inside"},
		{"seed-003/kubelet-flag", Implausible, "1.24"},
		{"seed-003/usage-by-kube-state-metrics", Implausible, "no usage"},
		{"seed-003/percentiles-collected", Inconsistent, "left out"},
		{"seed-003/whole-lifecycle", Inconsistent, "left out"},
		{"seed-003/nanoseconds", Inconsistent, "whole microseconds"},
		{"seed-003/flannel-saves-below-10k-calls", Inconsistent, "how many calls"},
		{"seed-003/latency-at-cards", Implausible, "sees nothing"},
		// 001
		{"seed-001/service-finding.cilium-kpr", Implausible, "28.5 Gbit/s between nodes: a link of 10 Gbit/s"},
		{"seed-001/service-finding.calico-iptables-vxlan", Implausible, "22.1 Gbit/s"},
		{"seed-001/service-finding.flannel-vxlan", Implausible, "20.3 Gbit/s"},
		{"seed-001/service-placement", Inconsistent, "single node"},
		{"seed-001/matrix-service.cilium-kpr", Inconsistent, "32.1 Gbit/s here, and for the same quantity 28.5 Gbit/s (lines 21-22)"},
		{"seed-001/matrix-service.calico-iptables-vxlan", Inconsistent, "22.8 Gbit/s here, and for the same quantity 22.1 Gbit/s"},
		{"seed-001/service-25", Inconsistent, "= 29.0 %"},
		{"seed-001/cross-node-faster", Implausible, "no link is in the way"},
		{"seed-001/cilium-calico-10-15", Inconsistent, "= 5.4 %; the largest difference of its table; with eBPF it is 2.1 %"},
		{"seed-001/flannel-memory-flat", Inconsistent, "72 MB"},
		{"seed-001/invented-samples", Implausible, "correlation of −1"},
		{"seed-001/standard-deviation", Inconsistent, "= 0.9487"},
		{"seed-001/layer-7", Implausible, "= 94.1482"},
		{"seed-001/patch-job", Implausible, "cannot be changed"},
		{"seed-001/hundred-policies-old-log", Implausible, "does not run again"},
		{"seed-001/own-client", Inconsistent, "app: iperf3-client"},
		{"seed-001/wait-thirty", Implausible, "30 s is below the least that is possible, 60"},
		{"seed-001/json-log", Inconsistent, "echo"},
		{"seed-001/iperf3-percentiles", Implausible, "no percentiles"},
		{"seed-001/ping-1472", Implausible, "= 1422"},
		{"seed-001/top-every-second", Implausible, "repeat"},
		{"seed-001/three-headers", Inconsistent, "two fields"},
		{"seed-001/floor-9", Implausible, "no link"},
		// 000
		{"seed-000/seven-plugins", Inconsistent, "= 6 plugins"},
		{"seed-000/twenty-one-variants", Inconsistent, "= 22 variants"},
		{"seed-000/ipsec-slightly-slower-cilium", Inconsistent, "5.32 Gbit/s"},
		{"seed-000/ipsec-slightly-slower-antrea", Inconsistent, "4.71 Gbit/s"},
		{"seed-000/minimal-differences-single", Inconsistent, "11.12 Gbit/s for kubeovn-geneve, and lines 178-182: 25.85 Gbit/s"},
		{"seed-000/minimal-differences-multi", Inconsistent, "738.4 % more"},
		{"seed-000/ebpf-better-cilium", Inconsistent, "39.19 Gbit/s for cilium-kpr"},
		{"seed-000/dashboards", Inconsistent, "one uid"},
		// 002 and 004
		{"seed-002/cannot-saturate", Inconsistent, "three parallel connections fill it"},
		{"seed-004/spain-and-back", Implausible, "= 64.6857"},
		{"seed-004/throughput-table", NotTestable, "not in the text"},
		{"seed-004/latency-table", NotTestable, "not in the text"},
		// 001 against 003
		{"between-001-003/memory-order", Inconsistent, "220 MB for cilium-kpr, and line 306: 140 MB"},
		{"between-001-003/cpu-order", Inconsistent, "0.65 cores for cilium-kpr, and line 305: 0.52 cores"},
		{"between-001-003/p99-cilium", Inconsistent, "= 6.122 times that of 003"},
		{"between-001-003/p99-calico-iptables", Inconsistent, "= 5.462 times"},
		{"between-001-003/p99-calico-ebpf", Inconsistent, "= 5.376 times"},
		{"between-001-003/p99-flannel", Inconsistent, "= 5.769 times"},
		// Forecasts
		{"seed-003/seventy-percent", NotTestable, "a forecast"},
	} {
		source, id, _ := strings.Cut(c.claim, "/")
		found := l.Of(source, id)
		if len(found) == 0 || found[0].State != c.state {
			t.Errorf("%s: %+v, want %s", c.claim, found, c.state)
			continue
		}
		var details []string
		for _, f := range found {
			details = append(details, f.Detail)
		}
		if !strings.Contains(strings.Join(details, "\n"), c.words) {
			t.Errorf("%s: %q does not say %q", c.claim, details, c.words)
		}
	}
}

// TestLintLeavesWhatAddsUp has what follows from the documents' own figures.
func TestLintLeavesWhatAddsUp(t *testing.T) {
	l, err := Lint(publishedSources(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range []string{
		"seed-003/calico-iptables-38", "seed-003/calico-ebpf-22", "seed-003/flannel-53", "seed-003/case-latency", "seed-003/calico-ebpf-cpu-23",
		"seed-003/flannel-saves-3700", "seed-003/cost-order", "seed-003/p99-order", "seed-003/memory-order", "seed-003/cpu-order",
		"seed-001/policies-gap-64", "seed-001/matrix-cross-node.cilium-kpr", "seed-001/matrix-policies-100.cilium-kpr", "seed-001/vxlan-50",
		"seed-001/order-cross-node", "seed-001/order-service", "seed-001/order-p99", "seed-001/calico-falls-with-policies",
		"seed-000/twelve-steps", "seed-000/eight-streams-40", "seed-000/ebpf-better-calico", "seed-000/kuberouter-above-host", "seed-000/dtm.host",
		"seed-002/flannel-13", "between-001-003/flannel-cilium-p99",
	} {
		source, id, _ := strings.Cut(claim, "/")
		if found := l.Of(source, id); len(found) > 0 {
			t.Errorf("%s: %+v", claim, found)
		}
	}
}

// Every embedded claim's text is one that people can find: ids are unique, and
// lines lie within the documents.
func TestPublishedLines(t *testing.T) {
	lengths := map[string]int{"seed-000": 310, "seed-001": 489, "seed-002": 166, "seed-003": 649, "seed-004": 94, "between-001-003": 649}
	for _, s := range publishedSources(t) {
		for _, c := range s.Claims {
			for _, part := range strings.FieldsFunc(c.Lines, func(r rune) bool { return r == '-' || r == ',' || r == ' ' }) {
				line := 0
				for _, digit := range part {
					line = 10*line + int(digit-'0')
				}
				if line < 1 || line > lengths[s.Name] {
					t.Errorf("%s: line %d of %d", s.NameOf(c), line, lengths[s.Name])
				}
			}
		}
	}
}
