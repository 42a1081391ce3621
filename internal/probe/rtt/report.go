package rtt

import "time"

// Ready is written when the taps are in place, or when they cannot be.
type Ready struct {
	// Unsupported says why nothing is measured here; empty: it is.
	Unsupported string  `json:"unsupported,omitempty"`
	Places      []Place `json:"places,omitempty"`
}

// Place is a device that is watched.
type Place struct {
	Tap       string `json:"tap"`
	Interface string `json:"interface"`
	// Hook is where its programs are: tcx, clsact, or xdp+tcx and xdp+clsact
	// where XDP sees what arrives.
	Hook string `json:"hook"`
	// Note says why XDP was asked for and is not used.
	Note string `json:"note,omitempty"`
}

// Report is what was measured.
type Report struct {
	Unsupported string     `json:"unsupported,omitempty"`
	Devices     []Observed `json:"devices,omitempty"`
}

// Observed is what passed a device.
type Observed struct {
	Place
	Totals Totals `json:"totals"`
	// Flows are by label, in the order of the specification.
	Flows []FlowReport `json:"flows"`
}

// Totals count what passed, whosever it was. A packet that segmentation
// offload is to cut counts once.
type Totals struct {
	Packets   uint64 `json:"packets"`
	Segments  uint64 `json:"segments"`  // of TCP
	Tunnelled uint64 `json:"tunnelled"` // packets that came out of a tunnel
	Truncated uint64 `json:"truncated"` // packets that end within their headers
}

// FlowReport is what passed of the connections of one label.
type FlowReport struct {
	Label string `json:"label"`
	Counts
	Intervals []Interval `json:"intervals"`
}

// Counts say how much of what passed became a round trip.
type Counts struct {
	Segments  uint64 `json:"segments"`
	Unstamped uint64 `json:"unstamped"` // segments without timestamps
	Stored    uint64 `json:"stored"`    // timestamps waited for
	Matched   uint64 `json:"matched"`   // round trips
	Refused   uint64 `json:"refused"`   // timestamps that there was no room for
	// Forgotten timestamps were pushed out by newer ones before an
	// acknowledgement came.
	Forgotten uint64 `json:"forgotten"`
	// Waiting timestamps were not acknowledged by the end.
	Waiting uint64 `json:"waiting"`
}

// Interval is what was measured between two times.
type Interval struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Egress has round trips of segments that left by the device, Ingress of
	// those that came in by it.
	Egress  Histogram `json:"egress"`
	Ingress Histogram `json:"ingress"`
}

// Direction is the way that a segment passed a device.
type Direction int

// Directions, numbered as in bpf/rtt.c.
const (
	Ingress Direction = iota
	Egress
)

// Flow finds a label's report.
func (o Observed) Flow(label string) (FlowReport, bool) {
	for _, f := range o.Flows {
		if f.Label == label {
			return f, true
		}
	}
	return FlowReport{}, false
}

// Between adds up the intervals that lie wholly between two times; zero times
// are no bound.
func (f FlowReport) Between(start, end time.Time, direction Direction) Histogram {
	var h Histogram
	for _, i := range f.Intervals {
		if !start.IsZero() && i.Start.Before(start) || !end.IsZero() && i.End.After(end) {
			continue
		}
		if direction == Egress {
			h.Merge(i.Egress)
		} else {
			h.Merge(i.Ingress)
		}
	}
	return h
}
