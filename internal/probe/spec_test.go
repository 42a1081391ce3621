package probe

import (
	"strings"
	"testing"
)

func TestSpecsRefuse(t *testing.T) {
	sleep := []Process{{Argv: []string{"sleep"}}}
	tests := []struct {
		name string
		err  error
		want string // empty: no error
	}{
		{"good load", LoadSpec{Processes: sleep, Timeout: 1, Listen: []int{80}}.Validate(), ""},
		{"no process", LoadSpec{Timeout: 1}.Validate(), "no processes"},
		{"no argv", LoadSpec{Processes: []Process{{}}, Timeout: 1}.Validate(), "process 1"},
		{"no timeout", LoadSpec{Processes: sleep}.Validate(), "timeoutNs"},
		{"port", LoadSpec{Processes: sleep, Timeout: 1, Listen: []int{0}}.Validate(), "listens on 0"},
		{"good MTU", MTUProbe{Min: 576, Max: 1500, Tries: 1, Wait: 1}.Validate(), ""},
		{"MTU order", MTUProbe{Min: 1500, Max: 576, Tries: 1, Wait: 1}.Validate(), "--min 1500 to --max 576"},
		{"MTU tries", MTUProbe{Min: 576, Max: 1500, Wait: 1}.Validate(), "0 tries"},
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
