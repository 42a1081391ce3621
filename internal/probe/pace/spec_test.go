package pace

import (
	"strings"
	"testing"
	"time"
)

func TestSpecsRefuse(t *testing.T) {
	spec := func(change func(*Spec)) error {
		s := steady()
		change(&s)
		return s.Validate()
	}
	serve := func(change func(*ServeSpec)) error {
		s := ServeSpec{Kind: TCPRR, RequestBytes: 1, ResponseBytes: 1}
		change(&s)
		return s.Validate()
	}
	dns := func(q ...Question) error {
		return spec(func(s *Spec) { s.Kind, s.Questions = DNS, q })
	}
	tests := []struct {
		name string
		err  error
		want string // empty: no error
	}{
		{"good", spec(func(*Spec) {}), ""},
		{"target", spec(func(s *Spec) { s.Target = "host" }), "missing port"},
		{"several targets", spec(func(s *Spec) { s.Kind, s.More = TCPCRR, []string{"10.0.0.2:80"} }), ""},
		{"one of several targets", spec(func(s *Spec) { s.Kind, s.More = TCPCRR, []string{"host"} }), "missing port"},
		{"several targets over UDP", spec(func(s *Spec) { s.More = []string{"10.0.0.2:80"} }), "2 targets"},
		{"connections", spec(func(s *Spec) { s.Connections = 0 }), "give 1 to 4096"},
		{"rate", spec(func(s *Spec) { s.Rate = -1 }), "give 0 for a closed loop"},
		{"gaps", spec(func(s *Spec) { s.Gaps = "" }), "give fixed or exponential"},
		{"duration", spec(func(s *Spec) { s.Duration = 0 }), "must be positive"},
		{"timeout", spec(func(s *Spec) { s.Timeout = time.Hour }), "at most 1m0s"},
		{"kind", spec(func(s *Spec) { s.Kind = "http" }), `kind "http"`},
		{"one byte over TCP", spec(func(s *Spec) { s.Kind, s.RequestBytes = TCPRR, 1 }), ""},
		{"one byte over UDP", spec(func(s *Spec) { s.RequestBytes = 1 }), "give 8 to 65507"},
		{"jumbo answer over UDP", spec(func(s *Spec) { s.ResponseBytes = 65508 }), "give 8 to 65507"},
		{"good questions", dns(Question{"a.b", NoError}, Question{"*.b.", NXDomain}), ""},
		{"no questions", dns(), "no questions"},
		{"expectation", dns(Question{"a.b", "yes"}), `expects "yes"`},
		{"name", dns(Question{"a..b", NoError}), `question "a..b."`},
		{"label", dns(Question{strings.Repeat("a", 64), NoError}), "question"},
		{"too many questions", spec(func(s *Spec) { s.Kind, s.Rate = DNS, 40000 }), "told apart by 16 bits"},
		{"good server", serve(func(*ServeSpec) {}), ""},
		{"DNS server", serve(func(s *ServeSpec) { s.Kind = DNS }), "serves no DNS"},
		{"port", serve(func(s *ServeSpec) { s.Port = 65536 }), "no port 65536"},
		{"server's ports of datagrams", serve(func(s *ServeSpec) { s.Further = []int{1} }), "to tcp-crr alone"},
		{"server's many ports", serve(func(s *ServeSpec) { s.Kind, s.Further = TCPCRR, make([]int, MaxPorts) }), "fewer than 256"},
		{"server's further port", serve(func(s *ServeSpec) { s.Kind, s.Further = TCPCRR, []int{65536} }), "no port 65536"},
		{"delay", serve(func(s *ServeSpec) { s.Delay = -1 }), "none is negative"},
		{"always paused", serve(func(s *ServeSpec) { s.Pause, s.PauseEvery = 2, 2 }), "shorter than the time"},
		{"server's sizes", serve(func(s *ServeSpec) { s.ResponseBytes = 0 }), "give 1 to"},
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
