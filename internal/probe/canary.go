package probe

import (
	"errors"
	"fmt"
	"time"
)

// CanarySpec says what to send to an echo server: Datagrams over UDP, then
// Messages over one TCP connection, each of Bytes bytes full of the canary,
// each after the answer to the one before. So a packet carries exactly one,
// whatever segmentation offload is on.
type CanarySpec struct {
	Host      string        `json:"host"`
	Port      int           `json:"port"`
	Canary    []byte        `json:"canary"`
	Datagrams int           `json:"datagrams"`
	Messages  int           `json:"messages"`
	Bytes     int           `json:"bytes"`
	Wait      time.Duration `json:"waitNs"`    // for one answer
	Timeout   time.Duration `json:"timeoutNs"` // for all
}

// Validate reports what makes s unusable.
func (s CanarySpec) Validate() error {
	switch {
	case s.Host == "" || s.Port < 1 || s.Port > 65535:
		return fmt.Errorf("canaries cannot be sent to %q, port %d", s.Host, s.Port)
	case len(s.Canary) == 0 || s.Bytes < len(s.Canary) || s.Bytes > 65535-headerBytes6:
		return fmt.Errorf("a canary of %d bytes does not fit in messages of %d", len(s.Canary), s.Bytes)
	case s.Datagrams < 0 || s.Messages < 0 || s.Datagrams+s.Messages == 0:
		return fmt.Errorf("%d datagrams and %d messages are nothing to send", s.Datagrams, s.Messages)
	case s.Wait <= 0 || s.Timeout <= 0:
		return errors.New("canaries need a positive waitNs and timeoutNs")
	}
	return nil
}

// CanarySent is what became of them. Answered ones went there and back.
type CanarySent struct {
	Local             string `json:"local"` // address and port of the datagrams
	Datagrams         int    `json:"datagrams"`
	DatagramsAnswered int    `json:"datagramsAnswered"`
	Messages          int    `json:"messages"`
	MessagesAnswered  int    `json:"messagesAnswered"`
	// Stopped says why not everything was sent; empty: it was.
	Stopped string `json:"stopped,omitempty"`
}

// payload repeats the canary, so that any cut of twice its length has it.
func (s CanarySpec) payload() []byte {
	b := make([]byte, 0, s.Bytes+len(s.Canary))
	for len(b) < s.Bytes {
		b = append(b, s.Canary...)
	}
	return b[:s.Bytes]
}
