package scenario

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
)

// What too few answers can tell is left out, and never 0.
func TestPingValues(t *testing.T) {
	replies := func(n int) load.PingResult {
		r := load.PingResult{Transmitted: 2 * n, Received: n}
		for i := range n {
			r.Replies = append(r.Replies, load.PingReply{Sequence: i + 1, RTT: time.Duration(i+1) * time.Microsecond})
		}
		return r
	}
	for _, tt := range []struct {
		answers int
		want    []string
	}{
		{1, []string{"latency-mean", "loss", "latency-p50"}},
		{100, []string{"latency-mean", "loss", "latency-p50", "latency-sd"}},
		{1000, []string{"latency-mean", "loss", "latency-p50", "latency-p95", "latency-p99", "latency-sd"}},
		{10000, []string{"latency-mean", "loss", "latency-p50", "latency-p95", "latency-p99", "latency-p999", "latency-sd"}},
	} {
		values := pingValues(replies(tt.answers))
		var names []string
		for _, v := range values {
			names = append(names, v.Name)
			if v.Value <= 0 {
				t.Errorf("%d answers: %s is %v", tt.answers, v.Name, v.Value)
			}
		}
		if diff := cmp.Diff(tt.want, names); diff != "" {
			t.Errorf("%d answers (-want +got):\n%s", tt.answers, diff)
		}
		if values[1].Value != 50 {
			t.Errorf("%d of %d answered are a loss of %v percent", tt.answers, 2*tt.answers, values[1].Value)
		}
	}
}

func TestPingDuration(t *testing.T) {
	s, err := Find("ping")
	if err != nil {
		t.Fatal(err)
	}
	v := parameter.Values{}
	for _, p := range s.Parameters {
		v[p.Name] = p.Defaults()[0]
	}
	if d := s.Duration(v); d != 10*time.Second {
		t.Errorf("1000 pings every 10 ms take %v", d)
	}
}
