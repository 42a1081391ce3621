package probe

import (
	"strings"
	"testing"
	"time"
)

func TestWatchSpecValidate(t *testing.T) {
	good := func() WatchSpec {
		return WatchSpec{
			Targets:  []WatchTarget{{"a", NetworkTCP, "10.0.0.1:80", ""}, {"b", NetworkUDP, "[fd00::1]:80", ""}},
			Interval: time.Millisecond, Timeout: 100 * time.Millisecond,
			Await: &WatchAwait{Want: map[string]bool{"a": true}, Settle: 1, Limit: time.Second},
		}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*WatchSpec){
		"no targets":            func(s *WatchSpec) { s.Targets = nil },
		"interval":              func(s *WatchSpec) { s.Interval = 0 },
		"at most 900ms":         func(s *WatchSpec) { s.Timeout = time.Second }, // a SYN would be sent twice
		"name of its own":       func(s *WatchSpec) { s.Targets[1].Name = "a" },
		"none of tcp, udp":      func(s *WatchSpec) { s.Targets[0].Network = "icmp" },
		"watch target b":        func(s *WatchSpec) { s.Targets[1].Address = "server:80" },
		"which it does not":     func(s *WatchSpec) { s.Await.Want["c"] = true },
		"want, settle and limi": func(s *WatchSpec) { s.Await.Settle = 0 },
	} {
		s := good()
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}
