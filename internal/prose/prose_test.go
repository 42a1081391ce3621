package prose

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"one two three", 7, []string{"one two", "three"}},
		{"noise of ±76.5 % here", 12, []string{"noise of", "±76.5 % here"}},
		{"a-word-that-is-too-long for it", 8, []string{"a-word-that-is-too-long", "for it"}},
	} {
		if diff := cmp.Diff(c.want, Lines(c.text, c.width)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"−1.50": Fixed(-1.5, 2), "0": Fixed(-0.2, 0), "+2.0": Signed(2, 1), "0.0": Signed(0.01, 1), "−3": Signed(-3, 0),
		"1,234,567.89": Money(1234567.891), "−1,000.00": Money(-1000), "0.00": Money(-0.001), "+12.00": SignedMoney(12), "999.00": Money(999),
		"12,345": Grouped("12345"), "−1,234.5": Grouped("−1234.5"), "123": Grouped("123"), "1e+15": Grouped("1e+15"),
		"1 block": Plural(1, "block"), "0 blocks": Plural(0, "block"), "2 entries": Plural(2, "entry", "entries"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
