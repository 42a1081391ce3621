package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/stage"
)

func tunnelValues(t *testing.T, changed parameter.Values) parameter.Values {
	t.Helper()
	s, err := Find("control-plane-tunnel")
	if err != nil {
		t.Fatal(err)
	}
	v := parameter.Values{}
	for _, p := range s.Parameters {
		v[p.Name] = p.Defaults()[0]
	}
	for name, value := range changed {
		v[name] = value
	}
	return v
}

// Both loads take place, one after the other.
func TestTunnelTakesBothLoads(t *testing.T) {
	s, err := Find("control-plane-tunnel")
	if err != nil {
		t.Fatal(err)
	}
	v := tunnelValues(t, parameter.Values{"duration": "4s", "omit": "1s"})
	if got := s.Duration(v); got != tunnelStart+10*time.Second {
		t.Errorf("it takes %v", got)
	}
}

// Every server of the load is led through the tunnel.
func TestTunnelPorts(t *testing.T) {
	v := tunnelValues(t, parameter.Values{"streams": "2", "direction": "bidir"})
	want := []int{rrPort, 5201, 5202, 5203, 5204}
	if diff := cmp.Diff(want, tunnelPorts(tunnelBulk(v))); diff != "" {
		t.Error(diff)
	}
}

func TestCameThrough(t *testing.T) {
	for _, tt := range []struct {
		peer, source string
		ok           bool
	}{{"198.19.255.1", "198.19.255.1", true}, {"10.244.0.3", "198.19.255.1", false}, {"", "198.19.255.1", false}, {"10.244.0.3", "", true}} {
		if err := cameThrough(tt.peer, tt.source); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// What a proxy hides is missing with the reason, and nothing else is.
func TestForget(t *testing.T) {
	m := stage.Measurement{}
	var f stage.Figures
	f.Add(throughput, 1)
	f.Add(rtt, 1)
	m.Follow(f)
	m.Forget("a proxy", retransmits, rtt)
	if len(m.Values) != 1 || m.Values[0].Name != "throughput" || strings.Join([]string{m.Missing["rtt"], m.Missing["retransmits"]}, " ") != "a proxy a proxy" {
		t.Errorf("%+v", m)
	}
}
