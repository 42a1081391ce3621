package probe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/probe/rtt"
)

// What talks on the loopback device while the command runs is in its report.
func TestRTTCommand(t *testing.T) {
	stdin, toStdin := io.Pipe()
	fromStdout, stdout := io.Pipe()
	var stderr bytes.Buffer
	status := make(chan int, 1)
	go func() {
		status <- Main([]string{"rtt"}, stdin, stdout, &stderr)
		_ = stdout.Close() // a pipe
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // nothing is buffered in it
	port := l.Addr().(*net.TCPAddr).Port
	spec, err := json.Marshal(rtt.Spec{
		Taps: []rtt.Tap{{Name: "loopback", Interface: "lo"}}, Interval: 1e9, Flows: []rtt.Flow{{Label: "ours", There: rtt.End{FirstPort: port}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := toStdin.Write(append(spec, '\n')); err != nil {
		t.Fatal(err)
	}
	frames := bufio.NewReader(fromStdout)
	var ready rtt.Ready
	nextFrame(t, frames, FrameReady, &ready)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_ = toStdin.Close() // a pipe
	var report rtt.Report
	nextFrame(t, frames, FrameRTT, &report)
	if s := <-status; s != 0 {
		t.Fatalf("exit status %d: %s", s, stderr.String())
	}
	if ready.Unsupported != report.Unsupported {
		t.Errorf("ready says %q, the report %q", ready.Unsupported, report.Unsupported)
	}
	if ready.Unsupported != "" {
		if len(report.Devices) > 0 {
			t.Errorf("devices are %+v", report.Devices)
		}
		t.Skip(ready.Unsupported)
	}
	if f, ok := report.Devices[0].Flow("ours"); !ok || f.Segments < 3 || f.Matched == 0 {
		t.Errorf("of a connection there is %+v", report.Devices)
	}
}

func TestRTTCommandRefuses(t *testing.T) {
	for spec, want := range map[string]string{
		`{}`: "no taps",
		`{"taps":[{"name":"a","interface":"lo"}]}`:                              "interval",
		`{"taps":[{"name":"a","interface":"absent0"}],"intervalNs":1000000000}`: "absent0",
		`{"taps":[{"name":"a","pod":"no-such"}],"intervalNs":1000000000}`:       "no process here is of a pod",
		`{"tap":[]}`: "unknown field",
	} {
		var stdout, stderr bytes.Buffer
		status := Main([]string{"rtt"}, strings.NewReader(spec+"\n"), &stdout, &stderr)
		if strings.Contains(stdout.String(), `"unsupported"`) {
			t.Skip("round trips cannot be measured here")
		}
		if status == 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit status %d, %q; want %q", spec, status, stderr.String(), want)
		}
	}
}
