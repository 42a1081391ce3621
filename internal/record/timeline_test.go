package record

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/probe/recording"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func timelineOf(t *testing.T, rec recording.Recording) *timeline {
	t.Helper()
	tl, err := newTimeline(rec)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func TestSummary(t *testing.T) {
	var out strings.Builder
	if err := timelineOf(t, handmade(t, Export{})).writeSummary(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.txt", out.String())
}

// What is not there is not shown: no phase that was not, no figure that a
// machine lacks.
func TestSummaryOfLittle(t *testing.T) {
	rec := handmade(t, Export{})
	rec.Events = rec.Events[:1]
	rec.Series.Samples, rec.Took = rec.Series.Samples[:2], rec.Took[:2]
	for i := range rec.Series.Samples {
		rec.Series.Samples[i].Protocols = nil
	}
	var out strings.Builder
	if err := timelineOf(t, rec).writeSummary(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary-little.txt", out.String())
}

func TestStatexec(t *testing.T) {
	tl := timelineOf(t, handmade(t, Export{Format: Statexec, Labels: map[string]string{"run": "1"}}))
	families, err := tl.families()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := openmetrics.Write(&out, families); err != nil {
		t.Fatal(err)
	}
	golden(t, "statexec.om", out.String())
}

// The clock's step moves no sample, every sample is in one phase, and samples
// of the same millisecond are one.
func TestFamilies(t *testing.T) {
	startAt := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	tl := timelineOf(t, handmade(t, Export{Format: OpenMetrics, Labels: map[string]string{"cni": "x"}, StartAt: startAt}))
	families, err := tl.families()
	if err != nil {
		t.Fatal(err)
	}
	if err := openmetrics.Write(&bytes.Buffer{}, families); err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, s := range f.Series {
			for name, want := range map[string]string{"job": "cnibench", "instance": "a1", "role": "client", "id": "theirs", "cni": "x"} {
				if s.Labels[name] != want {
					t.Errorf("%s has the label %s=%q, want %q", f.Name, name, s.Labels[name], want)
				}
			}
		}
	}
	phases := families[0]
	if phases.Name != "cnibench_record_phase" || len(phases.Series) != 3 {
		t.Fatalf("the first family is %s with %d series", phases.Name, len(phases.Series))
	}
	got := ""
	for i, p := range phases.Series[0].Points {
		sum := 0.0
		for j, s := range phases.Series {
			sum += s.Points[i].Value
			if s.Points[i].Value == 1 {
				got += p.At.Sub(startAt).String() + " " + string(Phases()[j]) + "\n"
			}
		}
		if sum != 1 {
			t.Errorf("sample %d is in %v phases", i, sum)
		}
	}
	want := "0s before\n1s before\n2s command\n3s command\n4s command\n5s command\n5.5s after\n6s after\n7s after\n7.5s after\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if tl.step != time.Hour {
		t.Errorf("the clock was set by %v, want an hour", tl.step)
	}
}

// Labels that exports have themselves are refused beforehand: afterwards it
// would be too late.
func TestOwnLabelsAreKnown(t *testing.T) {
	for _, format := range Formats() {
		families, err := timelineOf(t, handmade(t, Export{Format: format})).families()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			for _, s := range f.Series {
				for name := range s.Labels {
					if _, err := ParseLabels([]string{name + "=x"}); err == nil && name != "id" {
						t.Errorf("label %s of %s may be given by users", name, f.Name)
					}
				}
			}
		}
	}
}

// A counter that went back leaves a gap, not a spike.
func TestSpans(t *testing.T) {
	tl := timelineOf(t, handmade(t, Export{}))
	values := []float64{0, 10, 3, 13, 23, 33, 43, 53, 63, 73}
	i := -1
	spans := tl.spans(row{scale: 1, counter: func(s *sample.Sample) (float64, bool) {
		for n := range tl.series.Samples {
			if tl.series.Samples[n].Mono == s.Mono {
				i = n
			}
		}
		return values[i], i != 4
	}})
	if len(spans) != 6 || spans[0].value != 10 || spans[1].from != 2*time.Second {
		t.Errorf("spans %+v", spans)
	}
}

func TestSparkline(t *testing.T) {
	second := time.Second
	spans := []span{{0, second, 0}, {second, 2 * second, 4}, {3 * second, 4 * second, 8}}
	for width, want := range map[int]string{4: "▁▅ █", 2: "▃█", 1: "▅"} {
		low, high := 0.0, 8.0
		if got := sparkline(spans, 4*second, width, low, high); got != want {
			t.Errorf("in %d characters %q, want %q", width, got, want)
		}
	}
	if got := sparkline(nil, second, 3, 0, 0); got != "   " {
		t.Errorf("of nothing %q", got)
	}
	if low, high := extremes(spans, 4*second, 4); low != 0 || high != 8 {
		t.Errorf("extremes %v and %v", low, high)
	}
}
