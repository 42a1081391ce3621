package parameter_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
)

func TestQuantities(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  []float64 // nil: no quantities of one kind
	}{
		{"whole numbers", []string{"0", "10", "200"}, []float64{0, 10, 200}},
		{"fractions", []string{"0", "0.5", "0.8"}, []float64{0, 0.5, 0.8}},
		{"bytes, the small ones without a unit", []string{"512", "1KiB", "64KiB"}, []float64{512, 1024, 65536}},
		{"rates", []string{"0bit", "500Mbit", "1Gbit"}, []float64{0, 5e8, 1e9}},
		{"durations", []string{"200ms", "1m30s"}, []float64{2e8, 9e10}},
		{"a fraction and a rate", []string{"0.5", "500Mbit"}, nil},
		{"bytes and a fraction", []string{"0.5", "1KiB"}, nil},
		{"words", []string{"tcp", "udp"}, nil},
		{"a word among numbers", []string{"1", "free"}, nil},
		{"what is too large to be told from its neighbours", []string{"1", "99999999999999999999"}, nil},
	} {
		got, ok := parameter.Quantities(tt.texts)
		if ok != (tt.want != nil) {
			t.Errorf("%s: %v, %v", tt.name, got, ok)
			continue
		}
		if diff := cmp.Diff(tt.want, got); ok && diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
