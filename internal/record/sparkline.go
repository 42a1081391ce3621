package record

import (
	"math"
	"strings"
	"time"
)

// span is a value that held for a while.
type span struct {
	from, to time.Duration // since the recording's beginning
	value    float64
}

// bars are the eight heights of a sparkline.
var bars = []rune("▁▂▃▄▅▆▇█")

// sparkline draws what spans held over a recording's length, a character per
// part of it, from low at the bottom to high at the top. Where no span was is
// a space.
func sparkline(spans []span, length time.Duration, width int, low, high float64) string {
	var b strings.Builder
	for _, v := range bin(spans, length, width) {
		switch {
		case math.IsNaN(v):
			b.WriteRune(' ')
		case !(high > low):
			b.WriteRune(bars[0])
		default:
			level := int((v - low) / (high - low) * float64(len(bars)))
			b.WriteRune(bars[min(max(level, 0), len(bars)-1)])
		}
	}
	return b.String()
}

// bin averages spans over each of width equal parts of length, weighted by
// time. A part without any is NaN.
func bin(spans []span, length time.Duration, width int) []float64 {
	values := make([]float64, width)
	for i := range values {
		from, to := length*time.Duration(i)/time.Duration(width), length*time.Duration(i+1)/time.Duration(width)
		sum, weight := 0.0, 0.0
		for _, s := range spans {
			if overlap := (min(s.to, to) - max(s.from, from)).Seconds(); overlap > 0 {
				sum, weight = sum+overlap*s.value, weight+overlap
			}
		}
		values[i] = sum / weight // 0/0 is NaN
	}
	return values
}

// extremes of what spans show when drawn with a width; NaN without any.
func extremes(spans []span, length time.Duration, width int) (low, high float64) {
	low, high = math.NaN(), math.NaN()
	for _, v := range bin(spans, length, width) {
		if math.IsNaN(v) {
			continue
		}
		if math.IsNaN(low) {
			low, high = v, v
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high
}
