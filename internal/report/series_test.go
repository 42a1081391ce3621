package report

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The axes start at the window, so that a point before it has no place.
func TestDrawable(t *testing.T) {
	points := []Point{{-0.5, 1}, {0, 2}, {0.5, math.NaN()}, {1, 3}, {math.Inf(1), 4}}
	if diff := cmp.Diff([]Point{{0, 2}, {1, 3}}, drawable(points)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
