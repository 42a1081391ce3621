package sample

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIntersect(t *testing.T) {
	w := func(from, to float64) Window { return Window{at(from), at(to)} }
	got, err := Intersect(w(0, 5), w(1, 6), w(-1, 4))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w(1, 4), got); diff != "" {
		t.Errorf("intersection (-want +got):\n%s", diff)
	}
	if _, err := Intersect(w(0, 1), w(1, 2)); err == nil || !strings.Contains(err.Error(), "no time in common") {
		t.Errorf("windows that only touch: %v", err)
	}
	if _, err := Intersect(); err == nil {
		t.Error("intersection of nothing is no error")
	}
}
