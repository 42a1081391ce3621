package probe

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// stdin's end means that the caller is gone.
func TestMainLoadEndsWithStdin(t *testing.T) {
	var out, errs bytes.Buffer
	stdin := strings.NewReader(`{"processes":[{"argv":["sleep","1000"]}],"timeoutNs":60000000000}` + "\n")
	if status := Main([]string{"load"}, stdin, &out, &errs); status != 1 {
		t.Errorf("status %d", status)
	}
	want := "cnibench-probe: error: " + errCallerGone.Error() + "\n"
	if errs.String() != want || out.Len() != 0 {
		t.Errorf("stderr %q, stdout %q", errs.String(), out.String())
	}
}

// A resident load is what its caller ends, and tells what became of it.
func TestMainResidentLoadReports(t *testing.T) {
	var out, errs bytes.Buffer
	stdin := strings.NewReader(`{"processes":[{"argv":["sh","-c","echo served; exec sleep 1000"]}],"timeoutNs":60000000000,"resident":true}` + "\n")
	if status := Main([]string{"load"}, stdin, &out, &errs); status != 0 {
		t.Fatalf("status %d, %s", status, errs.String())
	}
	var report LoadReport
	nextFrame(t, bufio.NewReader(&out), FrameReport, &report)
	if p := report.Processes[0]; p.Signal != "SIGKILL" || p.TimedOut {
		t.Errorf("%+v", p)
	}
}

func TestMainUsage(t *testing.T) {
	tests := []struct {
		args   string
		status int
		want   string
	}{
		{"", 2, "hint: give one of pause"},
		{"fly", 2, `no command "fly"`},
		{"pause now", 2, `pause does not take "now"`},
		{"load --fast", 2, "flag provided but not defined: -fast"},
		{"reach", 2, "reach does not know"},
		{"reach tcp", 2, "needs a target"},
		{"reach tcp --timeout 3s", 2, "HOST:PORT before any flags"},
		{"reach echo", 2, "give --port"},
		{"reach mtu host", 2, "give --port of the echo server"},
		{"reach mtu host --port 7 --min 9", 2, "change --min"},
		{"--help", 0, ""},
		{"reach mtu host --help", 0, ""},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			var out, errs bytes.Buffer
			status := Main(strings.Fields(test.args), strings.NewReader(""), &out, &errs)
			if status != test.status || !strings.Contains(errs.String(), test.want) {
				t.Errorf("status %d, stderr %q; want %d and %q", status, errs.String(), test.status, test.want)
			}
			if helped := out.String() == usage; helped != (test.status == 0) {
				t.Errorf("stdout %q", out.String())
			}
		})
	}
}
