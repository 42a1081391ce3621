package rtt

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Any is the interface of a tap that watches all of a network namespace but
// the loopback device. Packets that pass several devices are seen at each.
const Any = "any"

// Bounds of a specification.
const (
	// MaxFlows is how many rules tell connections apart; bpf/rtt.c has as many.
	MaxFlows = 8
	maxTaps  = 16
	// minInterval keeps intervals longer than most round trips.
	minInterval = 10 * time.Millisecond
	// DefaultWaiting is how many timestamps may wait for their echo where a
	// specification says nothing: connections × round-trip time / 1 ms.
	DefaultWaiting = 16384
	maxWaiting     = 1 << 20
)

// Spec says where round trips are measured, and of which connections.
type Spec struct {
	Taps []Tap `json:"taps"`
	// Flows tell connections apart: the first that fits gives its label.
	// None: all connections, labelled "".
	Flows []Flow `json:"flows,omitempty"`
	// Interval is how long each histogram is, so that a window can be cut out
	// afterwards.
	Interval time.Duration `json:"intervalNs"`
	// Waiting is how many timestamps may wait for their echo at a tap; 0 for
	// [DefaultWaiting]. Beyond that the oldest are forgotten, which is counted.
	Waiting int `json:"waiting,omitempty"`
}

// Tap is a place that packets pass. One of Interface and Address, or Pod,
// must be there.
type Tap struct {
	Name string `json:"name"` // what the report calls it
	// Interface is the name of a device, or [Any].
	Interface string `json:"interface,omitempty"`
	// Address chooses the device that has it.
	Address string `json:"address,omitempty"`
	// Pod is the UID of a pod of this node: the tap is in its network
	// namespace, at the device eth0 unless Interface or Address say otherwise.
	Pod string `json:"pod,omitempty"`
	// XDP asks to see what arrives in the driver, before tc does. Where that
	// cannot be, tc it is, and the report says so. Attaching it may make a
	// device reconfigure itself.
	XDP bool `json:"xdp,omitempty"`
}

// Flow is a rule that connections fit: one end is Here and the other There,
// whichever of them sends.
type Flow struct {
	Label string `json:"label"`
	Here  End    `json:"here"`
	There End    `json:"there"`
}

// End is one end of a connection. The zero value is any.
type End struct {
	// Addresses is an address or a network in CIDR notation; empty: any.
	Addresses string `json:"addresses,omitempty"`
	// FirstPort and LastPort are a range, both included. Both 0: any port;
	// LastPort 0: FirstPort alone.
	FirstPort int `json:"firstPort,omitempty"`
	LastPort  int `json:"lastPort,omitempty"`
}

// Validate says what is wrong with a specification.
func (s Spec) Validate() error {
	switch {
	case len(s.Taps) == 0:
		return errors.New("specification has no taps")
	case len(s.Taps) > maxTaps:
		return fmt.Errorf("specification has %d taps, and %d is the most", len(s.Taps), maxTaps)
	case len(s.Flows) > MaxFlows:
		return fmt.Errorf("specification has %d flows, and %d is the most", len(s.Flows), MaxFlows)
	case s.Interval < minInterval:
		return fmt.Errorf("interval %v is below %v", s.Interval, minInterval)
	case s.Waiting < 0 || s.Waiting > maxWaiting:
		return fmt.Errorf("waiting is %d, and %d is the most", s.Waiting, maxWaiting)
	}
	names := map[string]bool{}
	for _, t := range s.Taps {
		if names[t.Name] {
			return fmt.Errorf("two taps are called %q", t.Name)
		}
		names[t.Name] = true
		if err := t.validate(); err != nil {
			return fmt.Errorf("tap %q: %w", t.Name, err)
		}
	}
	labels := map[string]bool{}
	for _, f := range s.Flows {
		if labels[f.Label] {
			return fmt.Errorf("two flows are labelled %q", f.Label)
		}
		labels[f.Label] = true
		if _, err := f.rule(0); err != nil {
			return fmt.Errorf("flow %q: %w", f.Label, err)
		}
	}
	return nil
}

func (t Tap) validate() error {
	switch {
	case t.Interface != "" && t.Address != "":
		return errors.New("it has both an interface and an address")
	case t.Interface == "" && t.Address == "" && t.Pod == "":
		return errors.New("it has no interface, address or pod")
	case t.Address != "":
		if _, err := netip.ParseAddr(t.Address); err != nil {
			return fmt.Errorf("%q is no address", t.Address)
		}
	}
	return nil
}

// flows are those of the specification, or the one that all fit.
func (s Spec) flows() []Flow {
	if len(s.Flows) == 0 {
		return []Flow{{}}
	}
	return s.Flows
}
