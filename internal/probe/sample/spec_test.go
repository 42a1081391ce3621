package sample

import (
	"strings"
	"testing"
	"time"
)

func TestSpecRefuses(t *testing.T) {
	groups := func(paths ...string) Spec {
		return Spec{Interval: time.Second, Groups: map[string][]string{"g": paths}}
	}
	tests := []struct {
		name string
		err  error
		want string // empty: no error
	}{
		{"good groups", groups("a/b", "a/bc", "c").Validate(), ""},
		{"nested", groups("a", "a/b").Validate(), `"a/b" lies in "a"`},
		{"twice", groups("a", "a").Validate(), "would count twice"},
		{"below the root", groups("a", ".").Validate(), "would count twice"},
		{"outside", groups("../a").Validate(), "not a clean path"},
		{"absolute", groups("/a").Validate(), "not a clean path"},
		{"empty group", groups().Validate(), "no cgroup paths"},
		{"no such source", Spec{Interval: time.Second, Only: []string{"memory", "weather"}}.Validate(), `no source "weather"`},
		{"too often", Spec{Interval: time.Millisecond}.Validate(), "steps of 10ms"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "" {
				if test.err != nil {
					t.Errorf("error is %v, want none", test.err)
				}
				return
			}
			if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", test.err, test.want)
			}
		})
	}
}
