package scenario

import (
	"errors"
	"math"
	"testing"
)

// 949.3 Mbit/s is what TCP without options gets out of Gigabit Ethernet with
// an MTU of 1500, 957.1 what UDP gets.
func TestGoodput(t *testing.T) {
	line := lineLimit{rate: 1e9, mtu: 1500}
	if tcp, udp := line.goodput(headersTCP), line.goodput(headersUDP); math.Abs(tcp-949.3e6) > 1e5 || math.Abs(udp-957.1e6) > 1e5 {
		t.Errorf("%v over TCP, %v over UDP", tcp, udp)
	}
}

func TestAboveLineRate(t *testing.T) {
	line := lineLimit{rate: 10e9, mtu: 1500}
	for _, tt := range []struct {
		name       string
		limit      lineLimit
		directions []float64
		invalid    bool
	}{
		{"below", line, []float64{9e9}, false},
		{"at the line's limit", line, []float64{9.493e9}, false},
		{"above", line, []float64{9.7e9}, true},
		{"each direction has the line", line, []float64{9.4e9, 9.4e9}, false},
		{"the way back above", line, []float64{1e9, 20e9}, true},
		{"unknown", lineLimit{why: "veth"}, []float64{100e9}, false},
	} {
		err := tt.limit.check(headersTCP, tt.directions...)
		var invalid *InvalidError
		if errors.As(err, &invalid) != tt.invalid {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
