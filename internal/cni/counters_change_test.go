package cni

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// cilium's own words, from an agent of version 1.15.19, shortened.
const ciliumBefore = `# HELP cilium_bpf_map_pressure Fill percentage of map, tagged by map name
# TYPE cilium_bpf_map_pressure gauge
cilium_bpf_map_pressure{map_name="cilium_ct4_global"} 0.25
cilium_bpf_map_pressure{map_name="cilium_lxc"} 0.001
# HELP cilium_drop_count_total Total dropped packets, tagged by drop reason and ingress/egress direction
# TYPE cilium_drop_count_total counter
cilium_drop_count_total{direction="EGRESS",reason="Policy denied"} 7
# HELP cilium_forward_count_total Total forwarded packets, tagged by ingress/egress direction
# TYPE cilium_forward_count_total counter
cilium_forward_count_total{direction="EGRESS"} 1000
cilium_process_start_time_seconds 1.7e9
`

var at0 = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

func source(t *testing.T, node, text string, second int) CounterSource {
	t.Helper()
	f, err := ParseCounters([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return CounterSource{Node: node, Pod: "agent", UID: node, Port: 9962, At: at0.Add(time.Duration(second) * time.Second), Families: f}
}

func one(t *testing.T, text string, second int) []CounterSource {
	return []CounterSource{source(t, "node1", text, second)}
}

func TestCounterChange(t *testing.T) {
	after := strings.NewReplacer("} 7\n", "} 9\ncilium_drop_count_total{direction=\"INGRESS\",reason=\"CT: Map insertion failed\"} 5\n",
		"} 1000", "} 1500", "0.25", "0.5").Replace(ciliumBefore)
	got := entry(t, "cilium-vxlan").Plugin.Counters.Change(
		[]CounterSource{source(t, "node1", ciliumBefore, 0), source(t, "node2", ciliumBefore, 1)},
		[]CounterSource{source(t, "node1", after, 10), source(t, "node2", ciliumBefore, 12)})
	want := CounterChange{
		Drops:    map[string]float64{"Policy denied, EGRESS": 2, "CT: Map insertion failed, INGRESS": 5},
		Pressure: map[string]float64{"cilium_ct4_global": 0.5, "cilium_lxc": 0.001},
		Others:   map[string]float64{"cilium_forward_count_total (EGRESS)": 500},
		Span:     11 * time.Second,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is not known has a reason and no number.
func TestCounterChangeAbsent(t *testing.T) {
	cilium := entry(t, "cilium-vxlan").Plugin.Counters
	lines := func(without string) string {
		var b strings.Builder
		for line := range strings.Lines(ciliumBefore) {
			if !strings.Contains(line, without) {
				b.WriteString(line)
			}
		}
		return b.String()
	}
	replaced := one(t, ciliumBefore, 10)
	replaced[0].UID, replaced[0].Pod = "other", "agent-2"
	refused := []CounterSource{{Node: "node1", Pod: "agent", Port: 9962, Err: errors.New("connection refused")}}
	for name, test := range map[string]struct {
		counters        Counters
		before, after   []CounterSource
		drops, pressure string // why they are absent; empty: they are there
	}{
		"nobody there":     {cilium, nil, nil, "no agent", "no agent"},
		"refused":          {cilium, refused, one(t, ciliumBefore, 1), "connection refused", "connection refused"},
		"refused later":    {cilium, one(t, ciliumBefore, 1), refused, "after the load: connection refused", "connection refused"},
		"another pod":      {cilium, one(t, ciliumBefore, 0), replaced, "replaced by agent-2", "replaced by agent-2"},
		"restarted":        {cilium, one(t, ciliumBefore, 0), one(t, strings.ReplaceAll(ciliumBefore, "1.7e9", "1.8e9"), 9), "restarted", "restarted"},
		"went back":        {cilium, one(t, ciliumBefore, 0), one(t, strings.ReplaceAll(ciliumBefore, "} 7", "} 3"), 9), "went back from 7 to 3", ""},
		"not a number":     {cilium, one(t, ciliumBefore, 0), one(t, strings.ReplaceAll(ciliumBefore, "0.25", "NaN"), 9), "", "NaN"},
		"no pressure":      {cilium, one(t, ciliumBefore, 0), one(t, lines("pressure"), 9), "", "there is no metric cilium_bpf_map_pressure"},
		"no such counters": {cilium, one(t, "up 1\n", 0), one(t, "up 1\n", 9), "there is no metric cilium_drop_count_total", "there is no metric"},
		"none in catalog":  {Counters{}, one(t, ciliumBefore, 0), one(t, ciliumBefore, 9), "the catalog names no", "the catalog names no"},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.counters.Change(test.before, test.after)
			if !strings.Contains(got.DropsAbsent, test.drops) || (test.drops != "") != (got.Drops == nil) {
				t.Errorf("drops %v: %q", got.Drops, got.DropsAbsent)
			}
			if !strings.Contains(got.PressureAbsent, test.pressure) || (test.pressure != "") != (got.Pressure == nil) {
				t.Errorf("pressure %v: %q", got.Pressure, got.PressureAbsent)
			}
		})
	}
	// Cilium's drops appear when there are some: beside what is always there, none is none.
	if got := cilium.Change(one(t, lines("drop"), 0), one(t, lines("drop"), 9)); got.DropsAbsent != "" || len(got.Drops) != 0 {
		t.Errorf("without any drop: %+v", got)
	}
}

// A share of a size that another metric has.
func TestPressureOf(t *testing.T) {
	c := Counters{Pressure: []Pressure{{Metric: "used", Of: "size"}}}
	text := "used 25\nsize 100\n"
	if got := c.Change(one(t, text, 0), one(t, text, 1)).Pressure; got["used"] != 0.25 {
		t.Errorf("%v", got)
	}
	text = "used 25\nsize 0\n"
	if got := c.Change(one(t, text, 0), one(t, text, 1)); got.Pressure != nil || got.PressureAbsent == "" {
		t.Errorf("of nothing: %+v", got)
	}
}

// Whatever an agent says, there is no negative growth, and no number that is none.
func FuzzCounterChange(f *testing.F) {
	f.Add(ciliumBefore, ciliumBefore)
	f.Add("cilium_drop_count_total 1\n", "cilium_drop_count_total{reason=\"x\"} +Inf\n")
	f.Add("# TYPE cilium_bpf_map_pressure histogram\ncilium_bpf_map_pressure_bucket{le=\"1\"} 1\n", "cilium_bpf_map_pressure -Inf\n")
	c, err := Builtin()
	if err != nil {
		f.Fatal(err)
	}
	e, err := c.Entry("cilium-vxlan", Choice{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		var sources []CounterSource
		for _, text := range []string{before, after} {
			families, err := ParseCounters([]byte(text))
			sources = append(sources, CounterSource{Families: families, Err: err})
		}
		got := e.Plugin.Counters.Change(sources[:1], sources[1:])
		for reason, n := range got.Drops {
			if !(n >= 0) || math.IsInf(n, 0) {
				t.Errorf("%s grew by %v", reason, n)
			}
		}
		for table, share := range got.Pressure {
			if math.IsNaN(share) || math.IsInf(share, 0) {
				t.Errorf("%s is %v full", table, share)
			}
		}
		if (got.Drops == nil) != (got.DropsAbsent != "") || (got.Pressure == nil) != (got.PressureAbsent != "") {
			t.Errorf("absent without a reason, or with one: %+v", got)
		}
	})
}
