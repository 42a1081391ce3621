package probe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/probe/stream"
)

// end is one end of a stream as its caller sees it.
type end struct {
	stdin  io.WriteCloser
	frames *bufio.Reader
	stderr bytes.Buffer
	status chan int
}

func startEnd(args string, spec string) *end {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	e := &end{stdin: stdin, frames: bufio.NewReader(stdout), status: make(chan int, 1)}
	go func() {
		status := Main(strings.Fields(args), in, out, &e.stderr)
		_ = in.Close()
		_ = out.Close()
		e.status <- status
	}()
	_, _ = io.WriteString(stdin, spec+"\n") // an end that is gone has no frame either
	return e
}

func (e *end) order(t *testing.T, line, kind string, into any) {
	t.Helper()
	if line != "" {
		if _, err := io.WriteString(e.stdin, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	got, payload, err := ReadFrame(e.frames)
	if err != nil || got != kind {
		t.Fatalf("frame %q, want %q: %v", got, kind, err)
	}
	if err := json.Unmarshal(payload, into); err != nil {
		t.Fatal(err)
	}
}

func freeUDPPort(t *testing.T) int {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, port, err := net.SplitHostPort(conn.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if _, err := fmt.Sscan(port, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Both ends stay for several trials and leave when their stdin ends.
func TestStreamServesOrders(t *testing.T) {
	port := freeUDPPort(t)
	receiver := startEnd("stream receive", fmt.Sprintf(`{"port":%d,"streams":1,"key":5,"bufferBytes":65536}`, port))
	receiver.order(t, "", FrameReady, &stream.ReceiveReady{})
	sender := startEnd("stream send", fmt.Sprintf(`{"host":"127.0.0.1","ports":[%d],"key":5,"sizeBytes":64,"bufferBytes":65536}`, port))
	sender.order(t, "", FrameReady, &stream.SendReady{})
	for trial := 1; trial <= 2; trial++ {
		var begun stream.Begun
		receiver.order(t, fmt.Sprintf(`{"begin":{"trial":%d}}`, trial), FrameBegun, &begun)
		var sent stream.Sent
		sender.order(t, fmt.Sprintf(`{"trial":%d,"perSecond":1000,"durationNs":20000000}`, trial), FrameSent, &sent)
		var received stream.Received
		receiver.order(t, fmt.Sprintf(`{"finish":{"sent":%d,"quietNs":1000000000,"timeoutNs":5000000000}}`, sent.Sent), FrameReceived, &received)
		if sent.Planned != 20 || sent.Sent == 0 || received.Received != sent.Sent || int(received.Trial) != trial {
			t.Errorf("trial %d: sent %+v, received %+v", trial, sent, received)
		}
	}
	for name, e := range map[string]*end{"sender": sender, "receiver": receiver} {
		if err := e.stdin.Close(); err != nil {
			t.Error(err)
		}
		if status := <-e.status; status != 0 || e.stderr.Len() > 0 {
			t.Errorf("%s: status %d, %s", name, status, &e.stderr)
		}
	}
}

func TestStreamRefusesOrders(t *testing.T) {
	for order, want := range map[string]string{
		`{"begin":{"trial":1},"finish":{"sent":1}}`: "begins, marks or finishes",
		`{}`:           "begins, marks or finishes",
		`{"beginn":1}`: `unknown field "beginn"`,
		``:             "is empty",
	} {
		e := startEnd("stream receive", fmt.Sprintf(`{"port":%d,"streams":1,"key":5,"bufferBytes":0}`, freeUDPPort(t)))
		e.order(t, "", FrameReady, &stream.ReceiveReady{})
		if _, err := io.WriteString(e.stdin, order+"\n"); err != nil {
			t.Fatal(err)
		}
		if status := <-e.status; status != 1 || !strings.Contains(e.stderr.String(), want) {
			t.Errorf("%s: status %d, %s", order, status, &e.stderr)
		}
	}
}

// The caller's end during a trial ends the trial.
func TestStreamEndsWithStdin(t *testing.T) {
	var out, errs bytes.Buffer
	stdin := strings.NewReader(fmt.Sprintf(`{"host":"127.0.0.1","ports":[%d],"key":5,"sizeBytes":64,"bufferBytes":0}
{"trial":1,"perSecond":1,"durationNs":60000000000}
`, freeUDPPort(t)))
	if status := Main([]string{"stream", "send"}, stdin, &out, &errs); status != 1 || !strings.Contains(errs.String(), errCallerGone.Error()) {
		t.Errorf("status %d, %s", status, &errs)
	}
}
