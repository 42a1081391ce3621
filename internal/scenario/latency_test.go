package scenario

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
)

// answersOf is a report of requests that took 1 to n microseconds in 10 s, and
// of others that nobody answered.
func answersOf(n, missing int) pace.Report {
	r := pace.Report{
		Start: time.Unix(0, 0), End: time.Unix(10, 0), Response: pace.NewDistribution(), Service: pace.NewDistribution(),
		Counts: pace.Counts{
			Intended: int64(n + missing), Sent: int64(n + missing), Answered: int64(n), TimedOut: int64(missing), Lost: int64(missing),
		},
	}
	for i := range n {
		r.Response.Add(time.Duration(i+1) * time.Microsecond)
		r.Service.Add(time.Duration(i+1) * time.Microsecond / 2)
	}
	return r
}

func valueOf(t *testing.T, values []result.Value, m result.Metric) result.Value {
	t.Helper()
	for _, v := range values {
		if v.Name == m.Name {
			return v
		}
	}
	t.Fatalf("there is no %s", m.Name)
	return result.Value{}
}

func TestLatencyValues(t *testing.T) {
	values, marks, err := latencyValues(answersOf(20000, 0), time.Second)
	if err != nil || len(marks) != 0 {
		t.Fatalf("%v, marks %v", err, marks)
	}
	for m, want := range map[result.Metric]float64{
		rrP50: .010, rrP95: .019, rrP99: .0198, rrP999: .01998, rrMean: .01, rrSD: .0057735, serviceP99: .0099, answerRate: 2000, unanswered: 0,
	} {
		if got := valueOf(t, values, m); got.Value < want*.998 || got.Value > want*1.002 || got.Partial != "" {
			t.Errorf("%s is %v, want %v", m.Name, got.Value, want)
		}
	}
}

func TestLatencyOfFewRequestsHasNo999(t *testing.T) {
	values, marks, err := latencyValues(answersOf(9999, 0), time.Second)
	if err != nil || !slices.Equal(markNames(marks), []string{"too-few-samples"}) || !strings.Contains(marks[0].Detail, "needs 10000 requests, and there were 9999") {
		t.Errorf("%v, marks %v", err, marks)
	}
	for _, v := range values {
		if v.Name == rrP999.Name {
			t.Errorf("%s is %v", v.Name, v.Value)
		}
	}
}

// Lost requests make the percentiles worse, not better.
func TestLatencyCountsTheUnanswered(t *testing.T) {
	values, marks, err := latencyValues(answersOf(19000, 1000), 2*time.Second)
	if err != nil || !slices.Equal(markNames(marks), []string{"requests-unanswered"}) {
		t.Fatalf("%v, marks %v", err, marks)
	}
	if got := valueOf(t, values, unanswered).Value; got != 5 {
		t.Errorf("%v %% have no answer, want 5", got)
	}
	if got := valueOf(t, values, rrP50); got.Value < .00999 || got.Value > .01002 || got.Partial != "" {
		t.Errorf("p50 is %+v", got)
	}
	if got := valueOf(t, values, rrP95); got.Value < .0189 || got.Value > .0191 || got.Partial != "" {
		t.Errorf("p95 is %+v", got)
	}
	if got := valueOf(t, values, rrP99); got.Value != 2 || !strings.Contains(got.Partial, "timeout of 2s") {
		t.Errorf("p99 is %+v", got)
	}
}

func TestLatencyOfNothing(t *testing.T) {
	r := answersOf(0, 100)
	r.Counts.Failed = map[string]int64{"SERVFAIL": 40, "refused": 2}
	if _, _, err := latencyValues(r, time.Second); err == nil || !strings.Contains(err.Error(), "none of 100 requests was answered") ||
		!strings.Contains(err.Error(), "40 SERVFAIL, 2 refused") {
		t.Errorf("latencyValues() = %v", err)
	}
}

func TestParseBackground(t *testing.T) {
	for text, want := range map[string]background{
		"0": {}, "0.5": {fraction: .5}, "1": {fraction: 1}, "500Mbit": {rate: 5e8}, "1.5Gbit": {rate: 1.5e9},
	} {
		if got, err := parseBackground(text); err != nil || got != want {
			t.Errorf("parseBackground(%s) = %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"1.5", "-1", "half", "10kbit", "0x1", "NaN", "1e-1"} {
		if got, err := parseBackground(text); err == nil {
			t.Errorf("parseBackground(%s) = %+v", text, got)
		}
	}
	for _, p := range []string{"0", "0.5", "0.8", "500Mbit"} {
		if got, err := backgroundLoad.Parse(p); err != nil || got != p {
			t.Errorf("load %s is read as %q, %v", p, got, err)
		}
	}
}

// The scenario's own time is what the plan is told.
func TestLoadedTrialTakesItsBurst(t *testing.T) {
	s, err := Find("latency-under-load")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]time.Duration{}
	for _, l := range []string{"0", "0.5", "1Gbit"} {
		v := map[string]string{}
		for _, p := range s.Parameters {
			v[p.Name] = p.Defaults()[0]
		}
		v["load"] = l
		got[l] = s.Duration(v)
	}
	want := map[string]time.Duration{"0": 12 * time.Second, "0.5": 17 * time.Second, "1Gbit": 13 * time.Second}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
