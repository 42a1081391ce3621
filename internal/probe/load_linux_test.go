package probe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func sh(scripts ...string) LoadSpec {
	spec := LoadSpec{Timeout: time.Minute}
	for _, s := range scripts {
		spec.Processes = append(spec.Processes, Process{Argv: []string{"sh", "-c", s}})
	}
	return spec
}

// nextFrame reads a frame of the given kind into v.
func nextFrame(t *testing.T, in *bufio.Reader, kind string, v any) {
	t.Helper()
	got, payload, err := ReadFrame(in)
	if err != nil || got != kind {
		t.Fatalf("ReadFrame() = %s %s, %v; want %s", got, payload, err, kind)
	}
	if err := json.Unmarshal(payload, v); err != nil {
		t.Fatal(err)
	}
}

func runLoad(t *testing.T, spec LoadSpec) LoadReport {
	t.Helper()
	var out bytes.Buffer
	if err := RunLoad(t.Context(), spec, &out); err != nil {
		t.Fatal(err)
	}
	var report LoadReport
	nextFrame(t, bufio.NewReader(&out), FrameReport, &report)
	return report
}

func TestRunLoadReports(t *testing.T) {
	report := runLoad(t, sh("echo out; echo err >&2; exit 3", "kill -TERM $$"))
	p := report.Processes[0]
	if p.ExitCode != 3 || p.Stdout != "out\n" || p.Stderr != "err\n" || p.Signal != "" || p.Threads != 1 {
		t.Errorf("first process: %+v", p)
	}
	if !p.Start.Before(p.End) || p.Start.Location() != time.UTC {
		t.Errorf("first process ran from %v to %v", p.Start, p.End)
	}
	if p := report.Processes[1]; p.Signal != "SIGTERM" || p.ExitCode != -1 || p.TimedOut {
		t.Errorf("second process: %+v", p)
	}
	if report.Netns.Sysctls["net.ipv4.tcp_congestion_control"] == "" || len(report.Netns.Interfaces) == 0 || report.Reason != "" {
		t.Errorf("network namespace: %+v", report.Netns)
	}
}

func TestRunLoadTimeoutKillsTheGroup(t *testing.T) {
	spec := sh("echo $$; sleep 1000 & echo $!; wait")
	spec.Timeout = 300 * time.Millisecond
	p := runLoad(t, spec).Processes[0]
	if !p.TimedOut || p.Signal != "SIGKILL" {
		t.Errorf("process: %+v", p)
	}
	assertGone(t, p.Stdout, 2)
}

func TestRunLoadKillsWhatIsLeftBehind(t *testing.T) {
	p := runLoad(t, sh("sleep 1000 & echo $!")).Processes[0]
	if p.ExitCode != 0 || p.TimedOut || p.Error != "" {
		t.Errorf("process: %+v", p)
	}
	assertGone(t, p.Stdout, 1)
}

// assertGone checks that the processes whose ids are in text have ended.
func assertGone(t *testing.T, text string, n int) {
	t.Helper()
	pids := strings.Fields(text)
	if len(pids) != n {
		t.Fatalf("%q are not %d process ids", text, n)
	}
	for _, pid := range pids {
		// It may still be on its way out, and its new parent may leave it a
		// zombie for long.
		deadline := time.Now().Add(time.Minute)
		for state, err := processState(pid); err == nil && state != "Z" && state != "X"; state, err = processState(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %s is still in state %s", pid, state)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

func TestRunLoadReadyAndCancel(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	spec := sh("sleep 1000")
	spec.Listen = []int{listener.Addr().(*net.TCPAddr).Port}
	ctx, cancel := context.WithCancelCause(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- RunLoad(ctx, spec, in) }()
	var ready LoadReady
	nextFrame(t, bufio.NewReader(out), FrameReady, &ready)
	if len(ready.Listen) != 1 || ready.Listen[0] != spec.Listen[0] {
		t.Errorf("ready = %+v", ready)
	}
	cancel(errCallerGone)
	if err := <-ended; !errors.Is(err, errCallerGone) {
		t.Errorf("RunLoad() = %v", err)
	}
}

func TestRunLoadFails(t *testing.T) {
	freePort := func() int {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		return l.Addr().(*net.TCPAddr).Port
	}
	ends := sh("sleep 1000", "echo address in use >&2; exit 1")
	ends.Listen = []int{freePort()}
	times := sh("sleep 1000")
	times.Listen, times.Timeout = []int{freePort()}, 100*time.Millisecond
	missing := sh("sleep 1000")
	missing.Processes = append(missing.Processes, Process{Argv: []string{"/no/such/program"}})
	tests := []struct {
		name string
		spec LoadSpec
		want string
	}{
		{"ends before listening", ends, `sh exited with status 1 ("address in use") before TCP port`},
		{"times out before listening", times, "sh ran into its timeout before TCP port"},
		{"no such program", missing, "starting /no/such/program"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			err := RunLoad(t.Context(), test.spec, &out)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("RunLoad() = %v, want an error with %q", err, test.want)
			}
			var report LoadReport
			nextFrame(t, bufio.NewReader(&out), FrameFailed, &report)
			if !strings.Contains(report.Reason, test.want) || len(report.Processes) != len(test.spec.Processes) {
				t.Errorf("report: %+v", report)
			}
			if p := report.Processes[0]; p.Signal != "SIGKILL" {
				t.Errorf("the process that slept: %+v", p)
			}
		})
	}
}
