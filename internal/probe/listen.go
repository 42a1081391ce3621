package probe

import (
	"errors"
	"fmt"
)

// ListenSpec says on which ports to echo, until stdin ends.
type ListenSpec struct {
	TCP  []int `json:"tcp,omitempty"`
	UDP  []int `json:"udp,omitempty"`
	SCTP []int `json:"sctp,omitempty"`
}

// ListenReady is the payload of the frame that says that all ports are served
// that can be.
type ListenReady struct {
	// NoSCTP says why there is no SCTP here; empty where it is, or where
	// nobody asked for it.
	NoSCTP string `json:"noSctp,omitempty"`
}

// Validate reports what makes s unusable.
func (s ListenSpec) Validate() error {
	if len(s.TCP)+len(s.UDP)+len(s.SCTP) == 0 {
		return errors.New("listen specification has no ports")
	}
	for _, ports := range [][]int{s.TCP, s.UDP, s.SCTP} {
		for _, port := range ports {
			if port < 1 || port > 65535 {
				return fmt.Errorf("listen specification has the port %d", port)
			}
		}
	}
	return nil
}
