package load

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Limits that iperf3 has built in (iperf.h: MIN_INTERVAL, MAX_INTERVAL,
// MAX_OMIT_TIME, MAX_TIME).
const (
	iperf3MinInterval = 100 * time.Millisecond
	iperf3MaxInterval = 60 * time.Second
	iperf3MaxOmit     = 600 * time.Second
	iperf3MaxDuration = 86400 * time.Second
	iperf3MaxBlock    = 1 << 20 // bytes per call over TCP (MAX_BLOCKSIZE)
	iperf3MinDatagram = 16      // bytes: its header (MIN_UDP_BLOCKSIZE)
	iperf3MaxDatagram = 65507   // bytes: 65535 less the headers (MAX_UDP_BLOCKSIZE)
	iperf3MaxWindow   = 512 << 20
)

// Iperf3Server is an iperf3 server for one stream: it serves one client and
// exits. What the client asks for decides whether it is TCP or UDP.
type Iperf3Server struct {
	Port int
	// Interval between the intervals that it reports.
	Interval time.Duration
}

// Iperf3Client is an iperf3 client with one stream. Below 3.16 iperf3 has a
// single thread, so several streams are several clients and servers, and so
// are two directions: --bidir would carry both on that thread.
type Iperf3Client struct {
	Host string
	Port int
	// Duration counts after Omit. Both must be whole seconds: iperf3 cuts the
	// fraction off without a word, and takes 0 for "no end".
	Duration time.Duration
	Omit     time.Duration
	// Interval between the intervals that it reports, at least 100 ms.
	Interval time.Duration
	// Reverse makes the server send.
	Reverse bool
	// UDP sends datagrams instead of a byte stream.
	UDP bool
	// BitsPerSecond of payload to send at, 0 for as fast as it can.
	BitsPerSecond int64
	// MessageSize is the bytes of payload per call of the sender and, over UDP,
	// per datagram. 0 leaves it to iperf3: 128 KiB over TCP, and over UDP what
	// the MSS of its control connection takes.
	MessageSize int
	// Window is the size of the sockets' buffers in bytes, 0 for the kernel's.
	// iperf3 fails where net.core.rmem_max or wmem_max do not allow it.
	Window int
	// ZeroCopy sends by sendfile(2); over TCP only.
	ZeroCopy bool
	// DontFragment forbids fragments; over UDP only.
	DontFragment bool
}

// Argv returns the command line.
func (s Iperf3Server) Argv() ([]string, error) {
	if err := iperf3Port(s.Port); err != nil {
		return nil, err
	}
	interval, err := iperf3Interval(s.Interval)
	if err != nil {
		return nil, err
	}
	return []string{"iperf3", "-s", "-1", "-J", "-p", strconv.Itoa(s.Port), "-i", interval}, nil
}

// Argv returns the command line.
func (c Iperf3Client) Argv() ([]string, error) {
	if c.Host == "" || c.Host[0] == '-' {
		return nil, fmt.Errorf("iperf3 client cannot connect to host %q", c.Host)
	}
	if err := iperf3Port(c.Port); err != nil {
		return nil, err
	}
	duration, err := iperf3Seconds("duration", c.Duration, time.Second, iperf3MaxDuration)
	if err != nil {
		return nil, err
	}
	omit, err := iperf3Seconds("omitted warm-up", c.Omit, 0, iperf3MaxOmit)
	if err != nil {
		return nil, err
	}
	interval, err := iperf3Interval(c.Interval)
	if err != nil {
		return nil, err
	}
	argv := []string{
		"iperf3", "-c", c.Host, "-p", strconv.Itoa(c.Port), "-J", "-P", "1",
		"-t", duration, "-O", omit, "-i", interval,
	}
	if c.Reverse {
		argv = append(argv, "-R")
	}
	options, err := c.options()
	return append(argv, options...), err
}

// options are the arguments beyond those that every client has.
func (c Iperf3Client) options() ([]string, error) {
	least, most := 1, iperf3MaxBlock
	if c.UDP {
		least, most = iperf3MinDatagram, iperf3MaxDatagram
	}
	switch {
	case c.MessageSize != 0 && (c.MessageSize < least || c.MessageSize > most):
		return nil, fmt.Errorf("iperf3 takes messages of %d to %d bytes, not of %d", least, most, c.MessageSize)
	case c.Window < 0 || c.Window > iperf3MaxWindow:
		return nil, fmt.Errorf("iperf3 takes a window of at most %d bytes, not %d", iperf3MaxWindow, c.Window)
	case c.BitsPerSecond < 0:
		return nil, fmt.Errorf("iperf3 cannot send at %d bit/s", c.BitsPerSecond)
	case c.UDP && c.ZeroCopy:
		return nil, errors.New("iperf3 has zero copy over TCP only")
	case !c.UDP && c.DontFragment:
		return nil, errors.New("iperf3 forbids fragments over UDP only")
	}
	var options []string
	if c.UDP {
		options = append(options, "-u")
	}
	if c.UDP || c.BitsPerSecond > 0 { // without, iperf3 sends UDP at 1 Mbit/s
		options = append(options, "-b", strconv.FormatInt(c.BitsPerSecond, 10))
	}
	if c.MessageSize > 0 {
		options = append(options, "-l", strconv.Itoa(c.MessageSize))
	}
	if c.Window > 0 {
		options = append(options, "-w", strconv.Itoa(c.Window))
	}
	if c.ZeroCopy {
		options = append(options, "-Z")
	}
	if c.DontFragment {
		options = append(options, "--dont-fragment")
	}
	return options, nil
}

func iperf3Port(port int) error {
	if port < 1 || port > 65535 {
		return fmt.Errorf("iperf3 cannot use port %d", port)
	}
	return nil
}

func iperf3Seconds(what string, d, least, most time.Duration) (string, error) {
	if d%time.Second != 0 {
		return "", fmt.Errorf("iperf3 takes whole seconds, and its %s is %v", what, d)
	}
	if d < least || d > most {
		return "", fmt.Errorf("iperf3 takes a %s from %v to %v, not %v", what, least, most, d)
	}
	return strconv.FormatInt(int64(d/time.Second), 10), nil
}

func iperf3Interval(d time.Duration) (string, error) {
	if d < iperf3MinInterval || d > iperf3MaxInterval {
		return "", fmt.Errorf("iperf3 reports every %v to %v, not every %v", iperf3MinInterval, iperf3MaxInterval, d)
	}
	if d%time.Millisecond != 0 {
		return "", errors.New("iperf3's interval must be whole milliseconds")
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64), nil
}
