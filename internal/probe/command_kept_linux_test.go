package probe

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/probe/stream"
)

// tell gives an order to a process that stays, as a connection of its own.
func tell(t *testing.T, name, order, kind string, into any) {
	t.Helper()
	var out, stderr bytes.Buffer
	if status := Main([]string{"stream", "tell", name}, strings.NewReader(order+"\n"), &out, &stderr); status != 0 {
		t.Fatalf("%s: status %d: %s", order, status, stderr.String())
	}
	nextFrame(t, bufio.NewReader(&out), kind, into)
}

// Ends that stay make a trial by orders that each come from somebody else, and
// find its gaps; an order that they cannot carry out says why, and they stay.
func TestKeptStream(t *testing.T) {
	port := freeUDPPort(t)
	const life = `{"lifeNs":60000000000,"end":`
	receiver := startEnd("stream kept receive", fmt.Sprintf(life+`{"port":%d,"streams":1,"key":5,"bufferBytes":1048576,"gaps":{"intervalNs":1000000,"thresholdNs":10000000}}}`, port))
	sender := startEnd("stream kept send", fmt.Sprintf(life+`{"host":"127.0.0.1","ports":[%d],"key":5,"sizeBytes":128,"bufferBytes":0}}`, port))
	var to, from KeptReady
	receiver.order(t, "", FrameKept, &to)
	sender.order(t, "", FrameKept, &from)

	var failed LoadReport
	tell(t, from.Name, `{"collect":true}`, FrameFailed, &failed)
	if !strings.Contains(failed.Reason, "no trial was started") {
		t.Errorf("reason %q", failed.Reason)
	}
	tell(t, to.Name, `{"receive":{"mark":{}}}`, FrameFailed, &failed)
	tell(t, to.Name, `{"collect":true}`, FrameFailed, &failed)

	var begun stream.Begun
	tell(t, to.Name, `{"receive":{"begin":{"trial":1}}}`, FrameBegun, &begun)
	tell(t, from.Name, `{"start":{"trial":1,"perSecond":1000,"durationNs":200000000,"persist":true}}`, FrameBegun, &begun)
	tell(t, from.Name, `{"start":{"trial":1,"perSecond":1000,"durationNs":200000000}}`, FrameFailed, &failed)
	if !strings.Contains(failed.Reason, "under way") {
		t.Errorf("reason %q", failed.Reason)
	}
	var sent stream.Sent
	tell(t, from.Name, `{"collect":true}`, FrameSent, &sent)
	var received stream.Received
	tell(t, to.Name, fmt.Sprintf(`{"receive":{"finish":{"sent":%d,"quietNs":1000000000,"timeoutNs":5000000000}}}`, sent.Sent), FrameReceived, &received)
	if sent.Sent == 0 || received.Received != sent.Sent || received.Gaps == nil || received.Gaps.Before.Due != sent.Sent {
		t.Errorf("sent %+v, received %+v", sent, received)
	}
	for name, e := range map[string]*end{from.Name: sender, to.Name: receiver} {
		tell(t, name, `{"quit":true}`, FrameEnded, &struct{}{})
		if status := <-e.status; status != 0 {
			t.Errorf("%s: status %d: %s", name, status, e.stderr.String())
		}
	}
}

// One whose caller is gone ends when its life is over.
func TestKeptStreamEndsByItself(t *testing.T) {
	e := startEnd("stream kept receive", fmt.Sprintf(`{"lifeNs":50000000,"end":{"port":%d,"streams":1,"key":5,"bufferBytes":0}}`, freeUDPPort(t)))
	e.order(t, "", FrameKept, &KeptReady{})
	if status := <-e.status; status != 0 {
		t.Errorf("status %d: %s", status, e.stderr.String())
	}
}

// An end whose name nobody has heard must not stay.
func TestHandOver(t *testing.T) {
	for answer, heard := range map[string]bool{"\n": true, "": false} {
		var out bytes.Buffer
		err := handOver(bufio.NewReader(strings.NewReader(answer)), &out, []byte(`{"name":"n"}`))
		var ready KeptReady
		nextFrame(t, bufio.NewReader(&out), FrameKept, &ready)
		if (err == nil) != heard || ready.Name != "n" {
			t.Errorf("after the answer %q: %v, told of %q", answer, err, ready.Name)
		}
	}
}

func TestKeptStreamRefuses(t *testing.T) {
	for spec, part := range map[string]string{
		`{"lifeNs":0,"end":{}}`:                        "a life of 0s",
		`{"lifeNs":1000}`:                              "no specification",
		`{"lifeNs":1000,"end":{"port":0,"streams":1}}`: "no port 0",
		`{"lifeNs":1000,"end":{"port":"x"}}`:           "cannot unmarshal",
	} {
		var out, stderr bytes.Buffer
		if status := Main([]string{"stream", "kept", "receive"}, strings.NewReader(spec+"\n"), &out, &stderr); status != 1 || !strings.Contains(stderr.String(), part) {
			t.Errorf("%s: status %d: %s", spec, status, stderr.String())
		}
	}
	var out, stderr bytes.Buffer
	if status := Main([]string{"stream", "keep", "both"}, strings.NewReader("{}\n"), &out, &stderr); status != 2 {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}
