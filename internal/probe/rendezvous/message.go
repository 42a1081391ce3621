package rendezvous

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Version is that of the messages. Ends of different versions refuse each
// other.
const Version = 1

// protocol begins every message, so that a stranger is told from a client of
// another version.
const protocol = "cnibench-record"

// maxMessage bounds a line. A stranger's longer one is refused unread.
const maxMessage = 1024

// maxID bounds an identifier in bytes, so that a message with it fits.
const maxID = 256

type kind string

const (
	hello   kind = "hello"   // client: I am here
	welcome kind = "welcome" // server: with this identifier
	refuse  kind = "refuse"  // server: not with you
	ping    kind = "ping"    // server: answer at once
	pong    kind = "pong"    // client
	start   kind = "start"   // server: begin in so much time
	ready   kind = "ready"   // client: I shall
	agreed  kind = "agreed"  // server: that start holds
	done    kind = "done"    // either: my command has ended
	abort   kind = "abort"   // either: do not go on
)

// message is one line of JSON.
type message struct {
	Protocol string        `json:"protocol"`
	Version  int           `json:"version"`
	Kind     kind          `json:"kind"`
	ID       string        `json:"id,omitempty"`
	Number   int           `json:"number,omitempty"` // of a ping or a start
	In       time.Duration `json:"inNs,omitempty"`
	Within   time.Duration `json:"withinNs,omitempty"`
	Reason   string        `json:"reason,omitempty"`
}

// errStranger is what talks something else.
var errStranger = errors.New("it does not speak as cnibench record does")

// versionError is the other end's being of another version.
type versionError struct{ theirs int }

func (e *versionError) Error() string {
	return fmt.Sprintf("the other end speaks version %d of the protocol, this one version %d", e.theirs, Version)
}

// Hint says what to do.
func (e *versionError) Hint() string { return "run the same version of cnibench on both machines" }

func writeMessage(w io.Writer, m message) error {
	m.Protocol, m.Version = protocol, Version
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// readMessage reads one line. What is no message is errStranger; one of
// another version is a *versionError.
func readMessage(r *bufio.Reader) (message, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return message{}, errStranger
	}
	if err != nil {
		return message{}, err
	}
	return parseMessage(line)
}

func parseMessage(line []byte) (message, error) {
	var m message
	if !bytes.HasPrefix(line, []byte(`{"protocol":"`+protocol+`"`)) || json.Unmarshal(line, &m) != nil {
		return message{}, errStranger
	}
	if m.Version != Version {
		return message{}, &versionError{m.Version}
	}
	if len(m.ID) > maxID || m.In < 0 || m.Within < 0 {
		return message{}, errStranger
	}
	return m, nil
}
