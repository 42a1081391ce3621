package cost

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommonlyLacking(t *testing.T) {
	priced := func(without ...string) Variant { return Variant{Total: &Estimate{}, Without: without} }
	for _, test := range []struct {
		name     string
		variants []Variant
		want     []string
	}{
		{"none", nil, nil},
		{"all have all", []Variant{priced(), priced()}, nil},
		{"most lack the penalty", []Variant{priced(), priced("penalty"), priced("penalty")}, []string{"penalty"}},
		{"the first of as many", []Variant{priced("CPU", "memory"), priced("penalty")}, []string{"CPU", "memory"}},
		{"what has no sum does not count", []Variant{{Without: []string{"CPU"}}, {Without: []string{"CPU"}}, priced("penalty")}, []string{"penalty"}},
	} {
		if diff := cmp.Diff(test.want, Costs{Variants: test.variants}.CommonlyLacking()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
