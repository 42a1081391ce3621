package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// cores is a metric in cores with one arm per value; a negative value stands
// for a variant without samples.
func cores(name, group string, medians ...float64) analysis.Metric {
	m := analysis.Metric{Metric: result.Metric{Name: name, Unit: "cores", Group: group}}
	for i, v := range medians {
		arm := analysis.Arm{Variant: []string{"host", "flannel-vxlan"}[i]}
		if v >= 0 {
			arm.Summary = &analysis.Summary{N: 1, Median: v}
			arm.Samples = []analysis.Sample{{Block: 1, Value: v}}
		}
		m.Arms = append(m.Arms, arm)
	}
	return m
}

// The parts of the CPU by owner include the plugin's own pods, which are a
// metric of their own; a cell without owners has no such figure.
func TestBreakdowns(t *testing.T) {
	c := analysis.Cell{Cell: plan.Cell{ID: "x"}, Metrics: []analysis.Metric{
		cores("cpu", "", 2, -1), cores("cni-cpu", "", 0.25, -1),
		cores("cpu-user", result.CPUByMode, 0.5, -1), cores("cpu-softirq", result.CPUByMode, 1.5, -1),
		cores("load-cpu", result.CPUByOwner, 1, -1), cores("rest-cpu", result.CPUByOwner, 0.75, -1),
	}}
	list := breakdowns(c, "p0")
	if len(list) != 2 {
		t.Fatalf("%d figures", len(list))
	}
	var names []string
	for _, e := range list[1].Legend {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"cni", "load", "rest"}, names); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	modes := list[0].Figure.Rows
	if modes[0].Value != "2 cores" || modes[0].Detail != "softirq 75 %, user 25 %" || strings.Count(string(modes[0].Plot), "<rect") != 2 {
		t.Errorf("host: %+v", modes[0])
	}
	if modes[1].Value != "no value" || strings.Contains(string(modes[1].Plot), "<rect") {
		t.Errorf("a variant without samples: %+v", modes[1])
	}
	c.Metrics = c.Metrics[:2]
	if list := breakdowns(c, "p0"); len(list) > 0 {
		t.Errorf("without parts: %+v", list)
	}
}
