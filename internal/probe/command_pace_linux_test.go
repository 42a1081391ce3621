package probe

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/probe/pace"
)

// Client and server speak in frames, and the server reports when its caller
// closes its stdin.
func TestMainPace(t *testing.T) {
	const sizes = `"requestBytes":64,"responseBytes":64`
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Main([]string{"pace-serve"}, serverIn, serverOut, io.Discard)
	}()
	if _, err := io.WriteString(toServer, `{"kind":"tcp-rr","address":"127.0.0.1","port":0,`+sizes+"}\n"); err != nil {
		t.Fatal(err)
	}
	frames := bufio.NewReader(fromServer)
	var ready pace.Ready
	nextFrame(t, frames, FrameReady, &ready)

	clientIn, toClient := io.Pipe()
	defer func() { _ = toClient.Close() }()
	go func() {
		_, _ = fmt.Fprintf(toClient, `{"kind":"tcp-rr","target":"127.0.0.1:%d","connections":2,"rate":500,"gaps":"fixed","seed":1,%s,`+
			`"durationNs":200000000,"omitNs":0,"timeoutNs":30000000000}`+"\n", ready.Port, sizes)
	}()
	var out, errs bytes.Buffer
	if status := Main([]string{"pace"}, clientIn, &out, &errs); status != 0 {
		t.Fatalf("status %d, stderr %q", status, errs.String())
	}
	var report pace.Report
	nextFrame(t, bufio.NewReader(&out), FramePace, &report)
	if report.Counts.Answered != 100 || report.Response.Count() != 100 {
		t.Errorf("counts: %+v", report.Counts)
	}
	if err := toServer.Close(); err != nil {
		t.Fatal(err)
	}
	var served pace.Served
	nextFrame(t, frames, FramePaceServed, &served)
	if status := <-ended; status != 0 || served.Requests != 102 { // each connection was primed
		t.Errorf("status %d, served %+v", status, served)
	}
}

// A client whose caller has gone measures nothing.
func TestMainPaceEndsWithStdin(t *testing.T) {
	var out, errs bytes.Buffer
	spec := `{"kind":"udp-rr","target":"127.0.0.1:9","connections":1,"rate":1,"gaps":"fixed","seed":1,` +
		`"requestBytes":8,"responseBytes":8,"durationNs":1000000000,"omitNs":0,"timeoutNs":1000000000}` + "\n"
	if status := Main([]string{"pace"}, strings.NewReader(spec), &out, &errs); status != 1 || !strings.Contains(errs.String(), errCallerGone.Error()) {
		t.Errorf("status %d, stderr %q", status, errs.String())
	}
}
