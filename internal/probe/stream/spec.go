package stream

import (
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe/gap"
)

// MaxStreams is the most streams of one sender.
const MaxStreams = 128

// ReceiveSpec says where a receiver listens: on one UDP port per stream.
type ReceiveSpec struct {
	Port    int    `json:"port"` // of the first stream; the others follow
	Streams int    `json:"streams"`
	Key     uint32 `json:"key"` // the search's, of every datagram
	// Buffer is the size of the sockets' buffers to ask for, in bytes. The
	// kernel may give less: see [ReceiveReady].
	Buffer int `json:"bufferBytes"`
	// Gaps asks for interruptions of the one stream that there is; nil: for
	// none.
	Gaps *gap.Spec `json:"gaps,omitempty"`
}

// Validate reports what makes s unusable.
func (s ReceiveSpec) Validate() error {
	if s.Gaps != nil {
		if err := s.Gaps.Validate(); err != nil {
			return err
		}
		if s.Streams != 1 {
			return fmt.Errorf("gaps of %d streams: they are found in one", s.Streams)
		}
	}
	if err := validate(s.Port, s.Streams, s.Buffer); err != nil {
		return err
	}
	return validate(s.Port+s.Streams-1, s.Streams, s.Buffer)
}

// SendSpec says where a sender sends to, each stream from a socket of its own.
type SendSpec struct {
	Host  string `json:"host"`  // an address or a name
	Ports []int  `json:"ports"` // one per stream
	Key   uint32 `json:"key"`
	// Size is that of the frames, in bytes; see the package's comment.
	Size   int `json:"sizeBytes"`
	Buffer int `json:"bufferBytes"` // of the sockets, to ask for
}

// Validate reports what makes s unusable.
func (s SendSpec) Validate() error {
	if s.Host == "" {
		return errors.New("there is no host to send to")
	}
	if s.Size < MinSize || s.Size > MaxSize {
		return fmt.Errorf("frames of %d bytes: they can have %d to %d", s.Size, MinSize, MaxSize)
	}
	for _, port := range s.Ports {
		if err := validate(port, len(s.Ports), s.Buffer); err != nil {
			return err
		}
	}
	if len(s.Ports) == 0 {
		return errors.New("there is no port to send to")
	}
	return nil
}

// validate checks a port and what all ports share.
func validate(port, streams, buffer int) error {
	switch {
	case streams < 1 || streams > MaxStreams:
		return fmt.Errorf("%d streams: there can be 1 to %d", streams, MaxStreams)
	case port < 1 || port > 65535:
		return fmt.Errorf("there is no port %d: they are 1 to 65535", port)
	case buffer < 0 || buffer > 1<<30:
		return fmt.Errorf("buffers of %d bytes: they can have up to 1 GiB", buffer)
	}
	return nil
}

// ReceiveReady says that a receiver listens.
type ReceiveReady struct {
	// Buffer is what the kernel gave each socket, as SO_RCVBUF has it
	// (socket(7)): its own bookkeeping counts against it.
	Buffer int `json:"bufferBytes"`
}

// SendReady says that a sender can send.
type SendReady struct {
	Local  string `json:"local"`  // address of the first stream's end
	Remote string `json:"remote"` // what Host and Port led to
	// MTU is the path's as far as the sender's kernel knows it, in bytes of IP
	// packets.
	MTU    int    `json:"mtu"`
	Link   string `json:"link"` // the device with the local address
	Buffer int    `json:"bufferBytes"`
}

// SendOrder is one trial for a sender.
type SendOrder struct {
	Trial uint32 `json:"trial"`
	// PerSecond is the datagrams per second of all streams together; 0 is as
	// many as the sender can.
	PerSecond float64       `json:"perSecond"`
	Duration  time.Duration `json:"durationNs"`
	// Persist goes on where the network refuses datagrams: they count as sent,
	// and as refused. Otherwise the trial fails.
	Persist bool `json:"persist,omitempty"`
}

// Validate reports what makes o unusable.
func (o SendOrder) Validate() error {
	if !(o.PerSecond >= 0 && o.PerSecond <= 1e9) {
		return fmt.Errorf("%v datagrams per second: there can be up to 1e9", o.PerSecond)
	}
	if o.Duration <= 0 || o.Duration > time.Hour {
		return fmt.Errorf("a trial of %s: it can last up to an hour", o.Duration)
	}
	return nil
}

// Sent is what a sender did in one trial, its streams together.
type Sent struct {
	Trial uint32    `json:"trial"`
	Start time.Time `json:"start"` // of the first stream, UTC
	// Planned is how many datagrams make the rate for the duration, and Sent
	// how many the kernel took. Without a rate, Planned is Sent.
	Planned uint64 `json:"planned"`
	Sent    uint64 `json:"sent"`
	// Refused are those of Sent that the network refused: there was no way to
	// the receiver, or nobody listened.
	Refused uint64 `json:"refused,omitempty"`
	// Took is the time from the first datagram to the end of the last one's
	// slot, of the slowest stream. Sent / Took is the rate that was offered.
	Took time.Duration `json:"tookNs"`
	// Late is how many datagrams left more than a millisecond after they were
	// due, and Latest by how much at most; a stall counts once, because the
	// schedule moves with it.
	Late   uint64        `json:"late"`
	Latest time.Duration `json:"latestNs"`
	// PutOff is by how much the schedule was moved in all, because the sender
	// came too late to make up for it.
	PutOff time.Duration `json:"putOffNs"`
	// LongestBurst is the most datagrams that left without a pause.
	LongestBurst uint64 `json:"longestBurst"`
	// Pauses are times of 2 ms and more in which a stream that persists sent
	// nothing.
	Pauses []gap.Pause `json:"pauses,omitempty"`
	// Blocked is how often the sender's own queue had no room: then what is
	// behind it, and not the sender, limits the rate.
	Blocked uint64 `json:"blocked"`
	// Busy is the share of the time, 0 to 1, that the busiest stream's thread
	// was on a CPU.
	Busy float64 `json:"busy"`
	// Link is what the device counted meanwhile, other traffic included.
	Link LinkCounts `json:"link"`
}

// PerSecond is the rate that was really offered.
func (s Sent) PerSecond() float64 { return float64(s.Sent) / s.Took.Seconds() }

// ReceiveOrder begins, marks or finishes a trial; exactly one of them is set.
type ReceiveOrder struct {
	Begin  *Begin  `json:"begin,omitempty"`
	Mark   *Mark   `json:"mark,omitempty"`
	Finish *Finish `json:"finish,omitempty"`
}

// Mark parts a trial in two, see package gap. It is answered by [Begun].
type Mark struct{}

// Begin tells a receiver to count the datagrams of a trial.
type Begin struct {
	Trial uint32 `json:"trial"`
}

// Finish tells a receiver that all datagrams of the trial are sent. It answers
// when all have arrived, or when none has for Quiet, or after Timeout.
type Finish struct {
	Sent    uint64        `json:"sent"`
	Quiet   time.Duration `json:"quietNs"`
	Timeout time.Duration `json:"timeoutNs"`
}

// Begun answers [Begin] and [Mark].
type Begun struct {
	Trial uint32 `json:"trial"`
}

// Received is what arrived in one trial, its streams together.
type Received struct {
	Trial uint32 `json:"trial"`
	Counts
	// Dropped is how many datagrams the receiver's sockets had no room for:
	// they came through the network, and were lost in our receiver.
	Dropped uint64 `json:"dropped"`
	// Span is the time between the first and the last arrival.
	Span time.Duration `json:"spanNs"`
	// Gaps are the stream's interruptions, where they were asked for.
	Gaps *gap.Report `json:"gaps,omitempty"`
	// Busy is the share of the trial's time, 0 to 1, that the busiest stream's
	// thread was on a CPU.
	Busy float64 `json:"busy"`
}
