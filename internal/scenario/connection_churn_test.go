package scenario

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/probe/tables"
	"github.com/cnibench/cnibench/internal/stage"
)

// churnValues are the defaults with some changed.
func churnValues(t *testing.T, changed map[string]string) parameter.Values {
	t.Helper()
	s, err := Find("connection-churn")
	if err != nil {
		t.Fatal(err)
	}
	v := parameter.Values{}
	for _, p := range s.Parameters {
		v[p.Name] = p.Defaults()[0]
	}
	maps.Copy(v, changed)
	return v
}

// There are as many ports as keep connections from having the same addresses
// and ports twice.
func TestChurnSpreadsOverPorts(t *testing.T) {
	for _, test := range []struct {
		changed map[string]string
		ports   stage.Ports
	}{
		{map[string]string{"rate": "100", "duration": "3s", "omit": "0s"}, stage.Ports{First: rrPort, Count: 1}},
		{map[string]string{"rate": "1500", "duration": "1s", "omit": "0s"}, stage.Ports{First: rrPort, Count: 1}},
		{map[string]string{"rate": "1501", "duration": "1s", "omit": "0s"}, stage.Ports{First: rrPort, Count: 2}},
		{map[string]string{"rate": "2000", "duration": "10s", "omit": "1s"}, stage.Ports{First: rrPort, Count: 15}},
	} {
		v := churnValues(t, test.changed)
		l := churnOf(v)
		if got := l.ports(); got != test.ports {
			t.Errorf("%v: %+v", test.changed, got)
		}
		l.server.Address, l.client.Target = "127.0.0.1", "127.0.0.1:1"
		if err := l.server.Validate(); err != nil {
			t.Errorf("%v: %v", test.changed, err)
		}
		if err := l.client.Validate(); err != nil || l.client.Kind != pace.TCPCRR {
			t.Errorf("%v: %v", test.changed, err)
		}
		if v.Has(connections.Name) {
			t.Errorf("the cell's own parameters were changed: %v", v)
		}
	}
}

func TestChurnMisfit(t *testing.T) {
	if problem, _ := churnMisfit(churnValues(t, nil)); problem != "" {
		t.Errorf("the defaults: %s", problem)
	}
	// As many as there are ports for.
	most := churnValues(t, map[string]string{"rate": "19200", "duration": "20s", "omit": "0s"})
	if problem, _ := churnMisfit(most); problem != "" || churnOf(most).ports().Count != pace.MaxPorts {
		t.Errorf("%s; %d ports", problem, churnOf(most).ports().Count)
	}
	problem, remedy := churnMisfit(churnValues(t, map[string]string{"rate": "20000", "duration": "1h"}))
	if !strings.Contains(problem, "384000") || remedy == "" {
		t.Errorf("%q, %q", problem, remedy)
	}
}

// Every request without an answer is in exactly one of the parts.
func TestUnansweredByReason(t *testing.T) {
	c := pace.Counts{Intended: 1000, Answered: 900, TimedOut: 50, Failed: map[string]int64{
		"timed out": 10, "refused": 20, "reset": 5, "unreachable": 14, "closed without an answer": 1,
	}}
	want := map[string]float64{"unanswered-timeout": 6, "unanswered-refused": 2, "unanswered-reset": 0.5, "unanswered-other": 1.5}
	if diff := cmp.Diff(want, byName(unansweredBy(c))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// node is what a node says, with nf_conntrack's entries and drops and a map.
func node(tracked, drops, mapped uint64) tables.Report {
	return tables.Report{
		Tables: []tables.Table{{Name: tables.Conntrack, Entries: tracked, Limit: 1000}, {Name: "ct", Evicts: true, Entries: mapped, Limit: 100}},
		Events: map[string]uint64{"drop": drops, "early_drop": 7, "insert_failed": 0},
	}
}

func TestTableFigures(t *testing.T) {
	before := nodeTables{"a": node(10, 5, 1), "b": node(10, 0, 1)}
	after := nodeTables{"a": node(400, 8, 50), "b": node(500, 1, 96)}
	f, facts := tableFigures(before, after)
	want := map[string]float64{"map-fill": 0.96, "conntrack-drops": 4, "conntrack-evictions": 0, "conntrack-insert-failures": 0}
	if diff := cmp.Diff(want, byName(f.Values)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantFacts := map[string]string{
		"fullest table":           "ct on b",
		"table nf_conntrack on a": "400 of 1000 entries (40.0 %), 10 before; a full one throws out what is closing or was never answered, else it drops what is new",
		"table nf_conntrack on b": "500 of 1000 entries (50.0 %), 10 before; a full one throws out what is closing or was never answered, else it drops what is new",
		"table ct on a":           "50 of 100 entries (50.0 %), 1 before; a full one throws out what was unused for longest",
		"table ct on b":           "96 of 100 entries (96.0 %), 1 before; a full one throws out what was unused for longest",
	}
	if diff := cmp.Diff(wantFacts, facts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"table-full"}, markNames(f.Marks)); diff != "" {
		t.Errorf("marks -want +got:\n%s", diff)
	}
}

// What is not known is missing, never 0: the table that could not be read may
// be the fullest.
func TestTableFiguresThatAreMissing(t *testing.T) {
	good := nodeTables{"a": node(1, 1, 1)}
	unread, nothing := node(1, 1, 1), tables.Report{Absent: []string{tables.Conntrack}, Missing: map[string]string{tables.PartEvents: "no such file"}}
	unread.Missing = map[string]string{"snat": "operation not permitted"}
	fewer := node(1, 0, 1)
	other := node(1, 1, 1)
	delete(other.Events, "early_drop")
	for name, test := range map[string]struct {
		before, after nodeTables
		missing       []string
		why           string
	}{
		"a map is not readable":  {good, nodeTables{"a": unread}, []string{"map-fill"}, "snat on a: operation not permitted"},
		"the kernel has another": {good, nodeTables{"a": other}, []string{"conntrack-evictions"}, "does not count early_drop"},
		"a counter went back":    {good, nodeTables{"a": fewer}, []string{"conntrack-drops"}, "went back from 1 to 0"},
		"it was not read before": {nodeTables{"a": nothing}, good, []string{"conntrack-drops", "conntrack-evictions", "conntrack-insert-failures"}, "a: no such file"},
		"nothing at all": {
			nodeTables{"a": nothing}, nodeTables{"a": nothing},
			[]string{"conntrack-drops", "conntrack-evictions", "conntrack-insert-failures", "map-fill"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := tableFigures(test.before, test.after)
			lacks(t, f, test.missing, test.why)
		})
	}
	if f, _ := tableFigures(good, good); len(f.Missing) > 0 || len(f.Marks) > 0 {
		t.Errorf("nothing happened: %+v", f)
	}
}
