package stage

import (
	"errors"
	"math"
	"testing"
)

// 949.3 Mbit/s is what TCP without options gets out of Gigabit Ethernet with
// an MTU of 1500, 957.1 what UDP gets.
func TestGoodput(t *testing.T) {
	line := LineLimit{Rate: 1e9, MTU: 1500}
	if tcp, udp := line.Goodput(HeadersTCP), line.Goodput(HeadersUDP); math.Abs(tcp-949.3e6) > 1e5 || math.Abs(udp-957.1e6) > 1e5 {
		t.Errorf("%v over TCP, %v over UDP", tcp, udp)
	}
}

// A line of 10 Gbit/s with an MTU of 1500 carries 9.493 Gbit/s of TCP, and
// 9.168 behind VXLAN, whose 50 bytes leave packets of 1450.
func TestFullLineIsMarked(t *testing.T) {
	line := LineLimit{Rate: 10e9, MTU: 1500}
	for _, tt := range []struct {
		name       string
		limit      LineLimit
		pathMTU    int
		directions []float64
		full       bool
	}{
		{"full", line, 1500, []float64{9.49e9}, true},
		{"97 % of full", line, 1500, []float64{9.21e9}, true},
		{"below", line, 1500, []float64{9.20e9}, false},
		{"nobody knows the path's MTU", line, 0, []float64{9.20e9}, false},
		{"full of tunnelled packets", line, 1450, []float64{8.90e9}, true},
		{"tunnelled and below", line, 1450, []float64{8.88e9}, false},
		{"the way back is full", line, 1500, []float64{1e9, 9.4e9}, true},
		{"a path wider than the line", line, 9000, []float64{9.4e9}, true},
		{"no line", LineLimit{Why: "veth"}, 1500, []float64{100e9}, false},
		{"nothing arrived", line, 1500, []float64{0}, false},
	} {
		marks := tt.limit.Marks(HeadersTCP, tt.pathMTU, tt.directions...)
		if (len(marks) == 1) != tt.full {
			t.Errorf("%s: %v", tt.name, marks)
		}
	}
}

func TestAboveLineRate(t *testing.T) {
	line := LineLimit{Rate: 10e9, MTU: 1500}
	for _, tt := range []struct {
		name       string
		limit      LineLimit
		directions []float64
		invalid    bool
	}{
		{"below", line, []float64{9e9}, false},
		{"at the line's limit", line, []float64{9.493e9}, false},
		{"above", line, []float64{9.7e9}, true},
		{"each direction has the line", line, []float64{9.4e9, 9.4e9}, false},
		{"the way back above", line, []float64{1e9, 20e9}, true},
		{"unknown", LineLimit{Why: "veth"}, []float64{100e9}, false},
	} {
		err := tt.limit.Check(HeadersTCP, tt.directions...)
		var invalid *InvalidError
		if errors.As(err, &invalid) != tt.invalid {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
