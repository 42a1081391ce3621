package rtt

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Of durations in nanoseconds: 64 buckets to each power of two, and below 128
// one to each nanosecond. The enumeration of the same names in bpf/rtt.c must
// agree.
const (
	subBits = 6
	maxBits = 36
	// Buckets is how many a histogram has. The last one also counts what took
	// longer than 68 s.
	Buckets = (maxBits - subBits + 1) << subBits
)

// Histogram counts durations in buckets whose width is at most 1/64 of their
// values. The zero value is empty. In JSON it is a list of pairs: the least
// duration of a bucket in nanoseconds, and its count; empty buckets are left
// out.
type Histogram struct{ counts []uint64 }

// bucketOf returns the index of a duration's bucket.
func bucketOf(d time.Duration) int {
	v := uint64(max(d, 0))
	if v>>maxBits != 0 {
		return Buckets - 1
	}
	shift := max(0, bits.Len64(v)-1-subBits)
	return shift<<subBits + int(v>>shift)
}

// bounds returns the least duration of a bucket and the least of the next.
func bounds(bucket int) (low, high time.Duration) {
	shift := max(0, bucket>>subBits-1)
	low = time.Duration(bucket-shift<<subBits) << shift
	return low, low + 1<<shift
}

// middle is what a bucket's durations are reported as. Those below 128 ns are
// known exactly.
func middle(bucket int) time.Duration {
	low, high := bounds(bucket)
	return low + (high-low)/2
}

// addBucket adds n durations of a bucket.
func (h *Histogram) addBucket(bucket int, n uint64) {
	if n == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]uint64, Buckets)
	}
	h.counts[bucket] += n
}

// Add counts one duration.
func (h *Histogram) Add(d time.Duration) { h.addBucket(bucketOf(d), 1) }

// Merge adds what other has counted.
func (h *Histogram) Merge(other Histogram) {
	for bucket, n := range other.counts {
		h.addBucket(bucket, n)
	}
}

// Count returns how many durations were counted.
func (h Histogram) Count() uint64 {
	var n uint64
	for _, c := range h.counts {
		n += c
	}
	return n
}

// Each calls f with every bucket's middle and count, shortest first, without
// the empty ones.
func (h Histogram) Each(f func(d time.Duration, n uint64)) {
	for bucket, n := range h.counts {
		if n > 0 {
			f(middle(bucket), n)
		}
	}
}

// Quantile returns the smallest duration that at least the fraction q do not
// exceed, to 1/128. It is false of an empty histogram.
func (h Histogram) Quantile(q float64) (time.Duration, bool) {
	count := h.Count()
	rank := max(1, uint64(math.Ceil(q*float64(count))))
	var below uint64
	for bucket, n := range h.counts {
		if below += n; below >= rank {
			return middle(bucket), true
		}
	}
	return 0, false
}

// MarshalJSON implements [json.Marshaler].
func (h Histogram) MarshalJSON() ([]byte, error) {
	pairs := [][2]uint64{}
	for bucket, n := range h.counts {
		if n > 0 {
			low, _ := bounds(bucket)
			pairs = append(pairs, [2]uint64{uint64(low), n})
		}
	}
	return json.Marshal(pairs)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var pairs [][2]uint64
	if err := json.Unmarshal(data, &pairs); err != nil {
		return fmt.Errorf("reading histogram: %w", err)
	}
	h.counts = nil
	for _, p := range pairs {
		if p[0]>>maxBits != 0 {
			return fmt.Errorf("reading histogram: %d ns is more than the longest", p[0])
		}
		h.addBucket(bucketOf(time.Duration(p[0])), p[1])
	}
	return nil
}
