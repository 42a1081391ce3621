package pace

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Bounds of every distribution: three significant digits, so that a value is
// known to 0.1 %. What takes longer counts as the longest.
const (
	shortest          = time.Nanosecond
	longest           = time.Minute
	significantDigits = 3
)

// Distribution counts durations in an HdrHistogram. In JSON it is a string:
// the histogram in HdrHistogram's own encoding, V2, compressed, base64, in
// nanoseconds, which loses nothing and can be merged.
type Distribution struct{ histogram *hdrhistogram.Histogram }

// NewDistribution returns an empty distribution.
func NewDistribution() Distribution {
	return Distribution{hdrhistogram.New(int64(shortest), int64(longest), significantDigits)}
}

// Add counts one duration.
func (d Distribution) Add(t time.Duration) {
	// Only a value out of range is an error.
	_ = d.histogram.RecordValue(int64(min(max(t, 0), longest)))
}

// Merge adds what other has counted.
func (d Distribution) Merge(other Distribution) { d.histogram.Merge(other.histogram) }

// Count returns how many durations were added.
func (d Distribution) Count() int64 {
	if d.histogram == nil {
		return 0
	}
	return d.histogram.TotalCount()
}

// Percentile returns the smallest duration that at least the fraction q of all
// events do not exceed, when missing further events took longer than any that
// was added. It is false where the percentile is one of those, or where nothing
// was counted.
func (d Distribution) Percentile(q float64, missing int64) (time.Duration, bool) {
	count := d.Count()
	rank := max(1, int64(math.Ceil(q*float64(count+missing))))
	if rank > count {
		return 0, false
	}
	// The library takes a percentage and rounds it to the nearest rank.
	percentage := 100 * float64(rank) / float64(count)
	return time.Duration(d.histogram.ValueAtPercentile(percentage)), true
}

// Mean returns the arithmetic mean, 0 of nothing.
func (d Distribution) Mean() time.Duration {
	if d.Count() == 0 {
		return 0
	}
	return time.Duration(d.histogram.Mean())
}

// StandardDeviation returns the sample standard deviation (n − 1), 0 of less
// than two.
func (d Distribution) StandardDeviation() time.Duration {
	n := float64(d.Count())
	if n < 2 {
		return 0
	}
	return time.Duration(d.histogram.StdDev() * math.Sqrt(n/(n-1)))
}

// MarshalJSON implements [json.Marshaler].
func (d Distribution) MarshalJSON() ([]byte, error) {
	if d.histogram == nil {
		return []byte(`""`), nil
	}
	encoded, err := d.histogram.EncodeV2()
	if err != nil {
		return nil, fmt.Errorf("encoding histogram: %w", err)
	}
	return json.Marshal(string(encoded))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *Distribution) UnmarshalJSON(data []byte) error {
	var encoded string
	if err := json.Unmarshal(data, &encoded); err != nil {
		return fmt.Errorf("reading histogram: %w", err)
	}
	if encoded == "" {
		d.histogram = nil
		return nil
	}
	h, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		return fmt.Errorf("reading histogram: %w", err)
	}
	d.histogram = h
	return nil
}
