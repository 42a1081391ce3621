package probe

import (
	"testing"

	"pgregory.net/rapid"
)

func TestLargestPassing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(56, 2000).Draw(t, "low")
		high := low + rapid.IntRange(0, 63000).Draw(t, "range")
		limit := rapid.IntRange(0, 70000).Draw(t, "limit")
		tried := 0
		got, found, err := largestPassing(low, high, func(size int) (bool, error) {
			tried++
			return size <= limit, nil
		})
		if want := min(limit, high); err != nil || found != (limit >= low) || found && got != want {
			t.Fatalf("largestPassing(%d, %d) = %d, %v, %v; limit %d", low, high, got, found, err, limit)
		}
		if tried > 19 {
			t.Fatalf("%d tries", tried)
		}
	})
}
