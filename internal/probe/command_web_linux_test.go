package probe

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/probe/web"
)

// TestWebCommand: the server lives until its caller goes, and a fetch of
// another caller is in its report.
func TestWebCommand(t *testing.T) {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	status := make(chan int, 1)
	go func() {
		var stderr bytes.Buffer
		code := Main([]string{"web"}, in, out, &stderr)
		if code != 0 {
			t.Errorf("web: %s", stderr.String())
		}
		_ = out.Close()
		status <- code
	}()
	if _, err := io.WriteString(stdin, `{"port":0,"bodyBytes":10}`+"\n"); err != nil {
		t.Fatal(err)
	}
	frames := bufio.NewReader(stdout)
	var ready web.Ready
	nextFrame(t, frames, FrameReady, &ready)
	var fetched, stderr bytes.Buffer
	spec := fmt.Sprintf(`{"targets":["127.0.0.1:%d"],"timeoutNs":10000000000}`+"\n", ready.Port)
	if code := Main([]string{"fetch"}, strings.NewReader(spec), &fetched, &stderr); code != 0 {
		t.Fatalf("fetch: %s", stderr.String())
	}
	var got web.Fetched
	nextFrame(t, bufio.NewReader(&fetched), FrameFetched, &got)
	if got.Reached != 1 || len(got.Missing) > 0 {
		t.Errorf("fetched %+v", got)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	var report web.Report
	nextFrame(t, frames, FrameWeb, &report)
	if code := <-status; report.Requests != 1 || code != 0 {
		t.Errorf("status %d, report %+v", code, report)
	}
}

func TestRunLoadFeedsProcesses(t *testing.T) {
	spec := sh("cat", "cat")
	spec.Processes[0].Stdin = "a script\n"
	report := runLoad(t, spec)
	if got := report.Processes[0].Stdout + report.Processes[1].Stdout; got != "a script\n" {
		t.Errorf("the processes read %q", got)
	}
}
