package load

import "fmt"

// Iperf3Congestion is the congestion control of the ends of one stream, empty
// where an end did not tell.
type Iperf3Congestion struct {
	Sender, Receiver string
}

// CongestionMismatchError says that not all ends used the same congestion
// control, so that the result is no property of the network.
type CongestionMismatchError struct {
	One, Other         string // which ends, in words
	OneUses, OtherUses string
}

func (e *CongestionMismatchError) Error() string {
	return fmt.Sprintf("congestion control differs: %s uses %s, %s uses %s", e.One, e.OneUses, e.Other, e.OtherUses)
}

// CongestionControl returns the congestion control that all ends used. It is a
// [*CongestionMismatchError] when two differ, and an error when one is unknown.
func (t Iperf3Throughput) CongestionControl() (string, error) {
	var first, firstEnd string
	for i, c := range t.Congestion {
		for _, end := range []struct{ name, uses string }{{"sender", c.Sender}, {"receiver", c.Receiver}} {
			name := fmt.Sprintf("the %s of stream %d", end.name, i+1)
			switch {
			case end.uses == "":
				return "", fmt.Errorf("%s does not tell its congestion control", name)
			case first == "":
				first, firstEnd = end.uses, name
			case end.uses != first:
				return "", &CongestionMismatchError{firstEnd, name, first, end.uses}
			}
		}
	}
	return first, nil
}

// limited lists the ends of stream n that used up a thread.
func (s Iperf3Stream) limited(n int) []string {
	client, server := s.ClientProcess.BusiestThread, 0.0
	client = max(client, s.Client.Local.Total/100)
	if s.Client.Remote != nil {
		server = s.Client.Remote.Total / 100
	}
	if s.ServerProcess != nil {
		server = max(server, s.ServerProcess.BusiestThread)
	}
	var limited []string
	for _, end := range []struct {
		name string
		busy float64
	}{{"client", client}, {"server", server}} {
		if end.busy >= GeneratorLimit {
			limited = append(limited, fmt.Sprintf("the iperf3 %s of stream %d used %.0f %% of a core", end.name, n, end.busy*100))
		}
	}
	return limited
}
