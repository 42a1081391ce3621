package parameter_test

import (
	"slices"
	"testing"

	"github.com/cnibench/cnibench/internal/parameter"
)

func TestCPUs(t *testing.T) {
	p := parameter.Parameter{Name: "cpuset", Kind: parameter.CPUs}
	for _, tt := range []struct {
		text, want     string // no want: refused
		client, server []int
	}{
		{"free", "free", nil, nil},
		{"0", "0", []int{0}, []int{0}},
		{"3,0-1,1", "0-1,3", []int{0, 1, 3}, []int{0, 1, 3}},
		{"0-1:2,4", "0-1:2,4", []int{0, 1}, []int{2, 4}},
		{"0,1:0-1", "0-1", []int{0, 1}, []int{0, 1}},
		{"8191", "8191", []int{8191}, []int{8191}},
		{"8192", "", nil, nil},
		{"3-1", "", nil, nil},
		{"0:1:2", "", nil, nil},
		{"0-", "", nil, nil},
		{"free:0", "", nil, nil},
		{"", "", nil, nil},
		{"99999999999999999999", "", nil, nil},
	} {
		got, err := p.Parse(tt.text)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q: %q, %v; want %q", tt.text, got, err, tt.want)
			continue
		}
		if client, server := parameter.EndCPUs(got); !slices.Equal(client, tt.client) || !slices.Equal(server, tt.server) {
			t.Errorf("%q: client %v, server %v", tt.text, client, server)
		}
	}
}

// What is accepted has one text, which means the same CPUs.
func FuzzCPUs(f *testing.F) {
	for _, text := range []string{"0", "0-3,8", "free", "0-1:2-3", "7,7,0-7"} {
		f.Add(text)
	}
	p := parameter.Parameter{Name: "cpuset", Kind: parameter.CPUs}
	f.Fuzz(func(t *testing.T, text string) {
		canonical, err := p.Parse(text)
		if err != nil {
			return
		}
		if again, err := p.Parse(canonical); err != nil || again != canonical {
			t.Errorf("%q: %q, then %q, %v", text, canonical, again, err)
		}
		client, server := parameter.EndCPUs(text)
		c, s := parameter.EndCPUs(canonical)
		if !slices.Equal(client, c) || !slices.Equal(server, s) {
			t.Errorf("%q and %q mean different CPUs", text, canonical)
		}
	})
}
