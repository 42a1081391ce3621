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
		"1 block": Plural(1, "block"), "0 blocks": Plural(0, "block"), "2 entries": Plural(2, "entry", "entries"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
