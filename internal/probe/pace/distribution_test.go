package pace

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"
)

func TestDistributionAgreesWithSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(1, int64(longest)), 1, 300).Draw(t, "nanoseconds")
		missing := rapid.Int64Range(0, 50).Draw(t, "missing")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		d := NewDistribution()
		for _, v := range values {
			d.Add(time.Duration(v))
		}
		slices.Sort(values)
		rank := max(1, int(math.Ceil(q*float64(int64(len(values))+missing))))
		got, ok := d.Percentile(q, missing)
		if ok != (rank <= len(values)) {
			t.Fatalf("Percentile(%g, %d) of %d = %v, %v", q, missing, len(values), got, ok)
		}
		if ok && !near(got, time.Duration(values[rank-1])) {
			t.Errorf("Percentile(%g, %d) = %v, want %v", q, missing, got, time.Duration(values[rank-1]))
		}
	})
}

func TestDistributionMoments(t *testing.T) {
	d := NewDistribution()
	for _, ms := range []int{2, 4, 4, 4, 5, 5, 7, 9} {
		d.Add(time.Duration(ms) * time.Millisecond)
	}
	// Mean 5, sum of squares 32, divided by 7.
	want := time.Duration(math.Sqrt(32.0/7) * 1e6)
	if !near(d.Mean(), 5*time.Millisecond) || !near(d.StandardDeviation(), want) {
		t.Errorf("mean %v, standard deviation %v, want 5ms and %v", d.Mean(), d.StandardDeviation(), want)
	}
	if empty := NewDistribution(); empty.Mean() != 0 || empty.StandardDeviation() != 0 {
		t.Error("the moments of nothing are not 0")
	}
}

func TestDistributionOutOfRange(t *testing.T) {
	d := NewDistribution()
	d.Add(-time.Second)
	d.Add(time.Hour)
	if p, ok := d.Percentile(1, 0); !ok || !near(p, longest) || d.Count() != 2 {
		t.Errorf("longest %v, count %d", p, d.Count())
	}
}

func TestDistributionTravelsAndMerges(t *testing.T) {
	a, b := NewDistribution(), NewDistribution()
	for i := range 1000 {
		a.Add(time.Duration(i) * time.Microsecond)
		b.Add(time.Duration(i+1000) * time.Microsecond)
	}
	data, err := json.Marshal(Report{Response: a, Service: b})
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	r.Response.Merge(r.Service)
	p, _ := r.Response.Percentile(.75, 0)
	if r.Response.Count() != 2000 || !near(p, 1499*time.Microsecond) || r.Connect.Count() != 0 {
		t.Errorf("%d durations, p75 %v", r.Response.Count(), p)
	}
	if err := json.Unmarshal([]byte(`{"response": "no histogram"}`), &r); err == nil {
		t.Error("what is no histogram was read")
	}
}

// The log is one that HdrHistogram's own reader understands.
func TestLog(t *testing.T) {
	r := Report{Start: time.Unix(1700000000, 0), End: time.Unix(1700000010, 0), Response: NewDistribution(), Service: NewDistribution()}
	for i := range 100 {
		r.Response.Add(time.Duration(i) * time.Millisecond)
	}
	log, err := r.Log()
	if err != nil {
		t.Fatal(err)
	}
	reader := hdrhistogram.NewHistogramLogReader(bytes.NewReader(log))
	h, err := reader.NextIntervalHistogram()
	if err != nil || h == nil || h.TotalCount() != 100 || h.Tag() != "response" || h.EndTimeMs()-h.StartTimeMs() != 10000 {
		t.Fatalf("first histogram: %+v, %v\n%s", h, err, log)
	}
	if h, err := reader.NextIntervalHistogram(); h != nil || err != nil {
		t.Errorf("an empty distribution is in the log: %+v, %v", h, err)
	}
}
