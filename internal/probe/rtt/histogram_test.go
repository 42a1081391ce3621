package rtt

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBuckets(t *testing.T) {
	for _, tt := range []struct {
		d         time.Duration
		bucket    int
		low, high time.Duration
	}{
		{-5, 0, 0, 1},
		{0, 0, 0, 1},
		{127, 127, 127, 128},
		{128, 128, 128, 130},
		{255, 191, 254, 256},
		{256, 192, 256, 260},
		{time.Millisecond, 954, 999424, 1007616},
		{1<<36 - 1, Buckets - 1, 1<<36 - 1<<29, 1 << 36},
		{time.Hour, Buckets - 1, 1<<36 - 1<<29, 1 << 36},
	} {
		got := bucketOf(tt.d)
		low, high := bounds(got)
		if got != tt.bucket || low != tt.low || high != tt.high {
			t.Errorf("%d ns is in bucket %d, from %d to %d; want %d, from %d to %d", tt.d, got, low, high, tt.bucket, tt.low, tt.high)
		}
	}
}

// Buckets cover all durations without a gap, none is wider than 1/64 of what
// it holds, and what is reported is off by at most 1/128.
func TestBucketsCover(t *testing.T) {
	next := time.Duration(0)
	for bucket := range Buckets {
		low, high := bounds(bucket)
		if low != next || bucketOf(low) != bucket || bucketOf(high-1) != bucket {
			t.Fatalf("bucket %d is from %d to %d; the one before ends at %d", bucket, low, high, next)
		}
		if high-low > 1 && 64*(high-low) > low {
			t.Errorf("bucket %d, from %d, is %d wide", bucket, low, high-low)
		}
		next = high
	}
	if next != 1<<maxBits {
		t.Errorf("the last bucket ends at %d", next)
	}
}

// A quantile is that of the sorted durations, to the resolution, whatever is
// merged in whatever order and however often it is written and read.
func TestQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := rapid.SliceOfN(rapid.Int64Range(0, int64(60*time.Second)), 1, 300).Draw(t, "durations")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		var parts [3]Histogram
		for i, d := range durations {
			parts[i%3].Add(time.Duration(d))
		}
		var whole Histogram
		for _, p := range parts {
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			var again Histogram
			if err := json.Unmarshal(data, &again); err != nil {
				t.Fatal(err)
			}
			whole.Merge(again)
		}
		if whole.Count() != uint64(len(durations)) {
			t.Fatalf("%d of %d are counted", whole.Count(), len(durations))
		}
		slices.Sort(durations)
		want := float64(durations[max(1, int(math.Ceil(q*float64(len(durations)))))-1])
		got, ok := whole.Quantile(q)
		if !ok || math.Abs(float64(got)-want) > want/128+1 {
			t.Errorf("quantile %g is %d, %t; want %g", q, got, ok, want)
		}
	})
}

func TestNothingHasNoQuantile(t *testing.T) {
	if d, ok := (Histogram{}).Quantile(.5); ok {
		t.Errorf("the median of nothing is %v", d)
	}
}

func TestHistogramRefusesNonsense(t *testing.T) {
	for _, text := range []string{`{}`, `[[1]`, `[["a",1]]`, `[[-1,1]]`, `[[68719476736,1]]`} {
		var h Histogram
		if err := json.Unmarshal([]byte(text), &h); err == nil {
			t.Errorf("%s is read as a histogram", text)
		}
	}
}
