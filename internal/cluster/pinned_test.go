package cluster

import (
	"slices"
	"testing"
)

func TestPin(t *testing.T) {
	argv := []string{"iperf3", "-s"}
	free := &Cluster{}
	pinned := free.Pinned(func(p Pod) []int {
		if p.Name == "client" {
			return []int{0, 2}
		}
		return nil
	})
	for _, tt := range []struct {
		c    *Cluster
		pod  string
		want []string
	}{
		{pinned, "client", []string{"cnibench-probe", "pinned", "0,2", "iperf3", "-s"}},
		{pinned, "server", argv},
		{free, "client", argv},
	} {
		if got := tt.c.pin(Pod{Name: tt.pod}, argv); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.pod, got, tt.want)
		}
	}
}
