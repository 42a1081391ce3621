package rtt

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	tap := Tap{Name: "nic", Interface: "eth0"}
	good := func() Spec { return Spec{Taps: []Tap{tap}, Interval: time.Second} }
	for _, tt := range []struct {
		name   string
		change func(*Spec)
		want   string
	}{
		{"as it is", func(*Spec) {}, ""},
		{"any", func(s *Spec) { s.Taps[0].Interface = Any }, ""},
		{"a pod", func(s *Spec) { s.Taps[0] = Tap{Name: "client", Pod: "0-1"} }, ""},
		{"a pod's address", func(s *Spec) { s.Taps[0] = Tap{Name: "client", Pod: "0-1", Address: "fd00::1"} }, ""},
		{"nothing to watch", func(s *Spec) { s.Taps = nil }, "no taps"},
		{"nowhere", func(s *Spec) { s.Taps[0] = Tap{Name: "nic"} }, `tap "nic": it has no interface`},
		{"two places", func(s *Spec) { s.Taps[0].Address = "10.0.0.1" }, "both an interface and an address"},
		{"no address", func(s *Spec) { s.Taps[0] = Tap{Name: "nic", Address: "10.0.0.0/8"} }, "is no address"},
		{"two of a name", func(s *Spec) { s.Taps = append(s.Taps, tap) }, "two taps"},
		{"too many", func(s *Spec) { s.Taps = make([]Tap, 17) }, "17 taps"},
		{"two of a label", func(s *Spec) { s.Flows = make([]Flow, 2) }, "two flows"},
		{"too many rules", func(s *Spec) { s.Flows = make([]Flow, MaxFlows+1) }, "8 is the most"},
		{"ports", func(s *Spec) { s.Flows = []Flow{{Here: End{FirstPort: 9, LastPort: 8}}} }, "no range"},
		{"network", func(s *Spec) { s.Flows = []Flow{{There: End{Addresses: "10.0.0.0/33"}}} }, "no address or network"},
		{"in no time", func(s *Spec) { s.Interval = 0 }, "below 10ms"},
		{"room", func(s *Spec) { s.Waiting = 2 << 20 }, "1048576 is the most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := good()
			tt.change(&s)
			err := s.Validate()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Validate() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestEndRule(t *testing.T) {
	mapped := func(last ...byte) (b [16]byte) {
		b[10], b[11] = 0xff, 0xff
		copy(b[12:], last)
		return b
	}
	all := func(ones int) (b [16]byte) {
		for i := range ones {
			b[i/8] |= 1 << (7 - i%8)
		}
		return b
	}
	for _, tt := range []struct {
		end  End
		want endRule
	}{
		{End{}, endRule{lastPort: 65535}},
		{End{FirstPort: 80}, endRule{firstPort: 80, lastPort: 80}},
		{End{LastPort: 80}, endRule{lastPort: 80}},
		{End{Addresses: "10.1.2.3", FirstPort: 1, LastPort: 2}, endRule{mapped(10, 1, 2, 3), all(128), 1, 2}},
		{End{Addresses: "10.1.2.3/20"}, endRule{mapped(10, 1, 0, 0), all(116), 0, 65535}},
		{End{Addresses: "fd00::1/8"}, endRule{[16]byte{0xfd}, all(8), 0, 65535}},
		{End{Addresses: "::/0"}, endRule{lastPort: 65535}},
	} {
		got, err := tt.end.rule()
		if err != nil || got != tt.want {
			t.Errorf("%+v: %+v, %v; want %+v", tt.end, got, err, tt.want)
		}
	}
}

func TestBetween(t *testing.T) {
	begin := time.Unix(1000, 0)
	second := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Second) }
	var f FlowReport
	for i := range 5 {
		interval := Interval{Start: second(i), End: second(i + 1)}
		interval.Egress.Add(time.Duration(i))
		interval.Ingress.Add(time.Duration(10 + i))
		f.Intervals = append(f.Intervals, interval)
	}
	for _, tt := range []struct {
		name       string
		start, end time.Time
		direction  Direction
		want       []time.Duration
	}{
		{"everything", time.Time{}, time.Time{}, Egress, []time.Duration{0, 1, 2, 3, 4}},
		{"on the edges", second(1), second(3), Egress, []time.Duration{1, 2}},
		{"between the edges", second(1).Add(1), second(4).Add(-1), Ingress, []time.Duration{12}},
		{"less than an interval", second(1).Add(1), second(2), Ingress, nil},
	} {
		var got []time.Duration
		f.Between(tt.start, tt.end, tt.direction).Each(func(d time.Duration, n uint64) {
			got = append(got, slices.Repeat([]time.Duration{d}, int(n))...)
		})
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
