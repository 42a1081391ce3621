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
)

// Iperf3Server is an iperf3 server for one stream: it serves one client and
// exits.
type Iperf3Server struct {
	Port int
	// Interval between the intervals that it reports.
	Interval time.Duration
}

// Iperf3Client is an iperf3 client with one TCP stream. Below 3.16 iperf3 has
// a single thread, so several streams are several clients and servers.
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
	return argv, nil
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
