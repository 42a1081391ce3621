package probe

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// The kinds of frame that the program writes.
const (
	FrameReady  = "ready"  // load, sample, echo, forward: [LoadReady], [sample.Ready], [EchoReady], [ForwardReady]
	FrameReport = "report" // load: [LoadReport]
	FrameFailed = "failed" // load: [LoadReport] with its Reason
	FrameReach  = "reach"  // reach tcp, reach dns: [Reach]
	FrameMTU    = "mtu"    // reach mtu: [PathMTU]
	FrameSeries = "series" // sample: [sample.Series]
	// FrameCapture is capture's: [capture.Report]. Its ready frame has a [capture.Ready].
	FrameCapture = "capture"
	// FrameRTT is rtt's: [rtt.Report]. Its ready frame has an [rtt.Ready].
	FrameRTT    = "rtt"
	FrameCanary = "canary" // canary: [CanarySent]
	// FramePace is pace's: [pace.Report]; FramePaceServed is pace-serve's, when
	// its stdin has ended: [pace.Served]. Its ready frame has a [pace.Ready].
	FramePace       = "pace"
	FramePaceServed = "pace-served"
	// FrameWatched and FrameClock answer a watch's commands: [Watched],
	// [WatchClock]. Its ready frame has a [WatchReady], that of listen a [ListenReady].
	FrameWatched = "watched"
	FrameClock   = "clock"
	// FrameWeb is web's: [web.Report]. Its ready frame has a [web.Ready].
	FrameWeb     = "web"
	FrameFetched = "fetched" // fetch: [web.Fetched]
	// FrameBirths is births', when its stdin has ended: [birth.Report]. Its
	// ready frame has a [birth.Ready].
	FrameBirths = "births"
	// stream, besides ready with a [stream.SendReady] or [stream.ReceiveReady]
	FrameSent      = "sent"      // stream send: [stream.Sent]
	FrameBegun     = "begun"     // stream receive: [stream.Begun]
	FrameReceived  = "received"  // stream receive: [stream.Received]
	FrameKept      = "kept"      // stream keep: [KeptReady]
	FrameForwarded = "forwarded" // forward, at its end: [ForwardEnded]
	FrameEnded     = "ended"     // stream tell: an empty object, to an order that ends the process
)

// Process is one program to run; Argv[0] is looked up in PATH.
type Process struct {
	Argv  []string `json:"argv"`
	Stdin string   `json:"stdin,omitempty"` // what it reads; nothing without
}

// LoadDir is the directory of load pods that holds what a user's load brings:
// its files and, in an image of the user's, this program.
const LoadDir = "/load"

// LoadSpec says what `load` runs. All processes run at once.
type LoadSpec struct {
	Processes []Process `json:"processes"`
	// Timeout, counted from each process's start, after which its process
	// group is killed. It must be positive.
	Timeout time.Duration `json:"timeoutNs"`
	// Listen holds TCP ports. A ready frame is written as soon as something
	// listens on all of them in this network namespace.
	Listen []int `json:"listen,omitempty"`
	// ListenUDP holds UDP ports; a socket that is bound to each of them is
	// waited for like the listening ones.
	ListenUDP []int `json:"listenUdp,omitempty"`
	// First holds programs that run one after the other, each to its end,
	// before all others start: they tell their versions, for instance.
	First []Process `json:"first,omitempty"`
	// Resident tells that the processes serve until they are killed: the end
	// of stdin does that, and the report is written all the same.
	Resident bool `json:"resident,omitempty"`
}

// Validate reports what makes s unusable.
func (s LoadSpec) Validate() error {
	if len(s.Processes) == 0 {
		return errors.New("load specification has no processes")
	}
	for i, p := range slices.Concat(s.First, s.Processes) {
		if len(p.Argv) == 0 || p.Argv[0] == "" {
			return fmt.Errorf("process %d of the load specification has no argv", i+1)
		}
	}
	if s.Timeout <= 0 {
		return errors.New("load specification needs a positive timeoutNs")
	}
	for _, port := range slices.Concat(s.Listen, s.ListenUDP) {
		if port < 1 || port > 65535 {
			return fmt.Errorf("load specification listens on %d, which is no port", port)
		}
	}
	return nil
}

// LoadReady is the payload of the frame that says servers can be used.
type LoadReady struct {
	Listen    []int `json:"listen"`
	ListenUDP []int `json:"listenUdp,omitempty"`
}

// LoadReport is what became of the processes of a [LoadSpec], in its order.
type LoadReport struct {
	// Reason says why the load did not take place; only a frame of kind
	// failed has one. Exit codes are for the caller to judge.
	Reason    string          `json:"reason,omitempty"`
	Processes []ProcessReport `json:"processes"`
	First     []ProcessReport `json:"first,omitempty"`
	Netns     Netns           `json:"netns"`
}

// ProcessReport is what became of one process.
type ProcessReport struct {
	Argv []string `json:"argv"`
	// Start and End enclose the life of the process: Start was stamped before
	// it existed, End after it was gone. UTC.
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
	ExitCode int       `json:"exitCode"`         // -1 unless it exited by itself
	Signal   string    `json:"signal,omitempty"` // that ended it
	Error    string    `json:"error,omitempty"`  // why it could not be started or waited for
	TimedOut bool      `json:"timedOut,omitempty"`
	// Stdout and Stderr as UTF-8; other bytes become U+FFFD. Each is capped at
	// 64 MiB, which Truncated tells.
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Truncated bool   `json:"truncated,omitempty"`
	// CPU seconds of the process and of the children it waited for.
	UserSeconds   float64 `json:"userSeconds"`
	SystemSeconds float64 `json:"systemSeconds"`
	Threads       int     `json:"threads"` // most seen at once
	// BusiestThread is the largest share of wall time, 0 to 1, that one thread
	// was on a CPU over any stretch of at least half the process's life (so
	// that a server's wait for its client does not dilute it).
	BusiestThread float64 `json:"busiestThread"`
}

// Netns describes the network namespace that the load ran in.
type Netns struct {
	Hostname   string            `json:"hostname"`
	Sysctls    map[string]string `json:"sysctls"` // the readable ones of a fixed list
	Interfaces []Interface       `json:"interfaces"`
}

// Interface is one network device as seen from inside the namespace.
type Interface struct {
	Name      string   `json:"name"`
	MTU       int      `json:"mtu"`
	Addresses []string `json:"addresses"` // with prefix length
	// SpeedMbit is the rate of the line in Mbit/s as the driver says; 0 where
	// it does not know, and for devices without hardware.
	SpeedMbit int `json:"speedMbit,omitempty"`
}
