package load

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// clockSlop is how far interval stamps may disagree, in seconds: they are cut
// to microseconds and taken one after the other.
const clockSlop = 1e-3

// intervals fills in the intervals, the repaired ones too, and the path MTU.
func (raw *iperf3JSON) intervals(r *Iperf3Result) error {
	counted := false
	last := 0.0
	for n, i := range raw.Intervals {
		interval, err := i.Sum.interval(!counted && r.Omit > 0)
		if err != nil {
			return fmt.Errorf("interval %d: %w", n+1, err)
		}
		if interval.Omitted && counted {
			return fmt.Errorf("interval %d is omitted, after ones that were not", n+1)
		}
		if !interval.Omitted {
			if counted && interval.Start < last-clockSlop {
				return fmt.Errorf("interval %d starts at %v s, before the one before it ends at %v s", n+1, interval.Start, last)
			}
			counted, last = true, interval.End
		}
		if len(i.Streams) > 0 {
			if rtt := i.Streams[0].RTT; rtt > 0 && rtt < 1e12 {
				interval.RTT = time.Duration(rtt * float64(time.Microsecond))
			}
			if pmtu := i.Streams[0].PMTU; pmtu > 0 {
				r.PathMTU = pmtu
			}
		}
		r.Intervals = append(r.Intervals, interval)
	}
	if !counted {
		return errors.New("none of them is after the warm-up")
	}
	return nil
}

// interval converts one interval. afterOmit says that it may be the first one
// after the warm-up; that one's times need repair. When the warm-up ends,
// iperf3 sets its byte counts and its origin of time anew, but the interval
// still starts where the previous one ended, before that origin, and its
// distance from the origin is printed without the sign (iperf_reset_stats and
// iperf_stats_callback in iperf_api.c). So the bytes are those since offset 0,
// and iperf3's own rate, over the longer time, is too low.
func (s *iperf3JSONSum) interval(afterOmit bool) (Iperf3Interval, error) {
	if s == nil || s.Start == nil || s.End == nil || s.Seconds == nil || s.Bytes == nil || s.BitsPerSecond == nil {
		return Iperf3Interval{}, errors.New("no start, end, seconds, bytes and bits_per_second")
	}
	bytes, err := wholeNumber(*s.Bytes)
	if err != nil {
		return Iperf3Interval{}, fmt.Errorf("bytes: %w", err)
	}
	retransmits, err := s.retransmits()
	if err != nil {
		return Iperf3Interval{}, err
	}
	i := Iperf3Interval{
		Start: *s.Start, End: *s.End, Bytes: bytes, BitsPerSecond: *s.BitsPerSecond,
		Retransmits: retransmits, Omitted: s.Omitted, Jitter: s.jitter(),
	}
	if afterOmit && !s.Omitted && i.Start > 0 && i.End > 0 {
		if across := math.Abs(*s.Seconds - (i.Start + i.End)); across < math.Abs(*s.Seconds-(i.End-i.Start)) {
			i.Start = 0
			i.BitsPerSecond = float64(bytes) * 8 / i.End
		}
	}
	if i.Start < 0 || i.End < i.Start || i.End > 1e9 {
		return Iperf3Interval{}, fmt.Errorf("runs from %v s to %v s", *s.Start, *s.End)
	}
	return i, nil
}

// bytesBetween returns how many bytes of intervals fall between two offsets,
// taking the rate within each interval as constant.
func bytesBetween(intervals []Iperf3Interval, from, to float64) float64 {
	var total float64
	for _, i := range intervals {
		if i.End == i.Start { // a burst at one moment
			if i.Start >= from && i.Start < to {
				total += float64(i.Bytes)
			}
			continue
		}
		if overlap := min(i.End, to) - max(i.Start, from); overlap > 0 {
			total += float64(i.Bytes) * overlap / (i.End - i.Start)
		}
	}
	return total
}
