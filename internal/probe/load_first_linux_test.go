package probe

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

func TestRunLoadRunsTheFirstOnesBefore(t *testing.T) {
	spec := sh("echo load")
	spec.First = sh("echo version 1; exit 3", "echo version 2").Processes
	report := runLoad(t, spec)
	if len(report.First) != 2 || report.First[0].Stdout != "version 1\n" || report.First[0].ExitCode != 3 || report.First[1].Stdout != "version 2\n" {
		t.Fatalf("the first ones: %+v", report.First)
	}
	last := report.First[0].End
	for _, p := range []ProcessReport{report.First[1], report.Processes[0]} {
		if p.Start.Before(last) {
			t.Errorf("%q started at %v, and the one before ended at %v", p.Argv, p.Start, last)
		}
		last = p.End
	}
}

func TestRunLoadFailsWithoutTheFirstOnes(t *testing.T) {
	spec := sh("echo load")
	spec.First = []Process{{Argv: []string{"/no/such/program", "--version"}}}
	var out bytes.Buffer
	err := RunLoad(t.Context(), spec, &out)
	if err == nil || !strings.Contains(err.Error(), "starting /no/such/program") {
		t.Errorf("RunLoad() = %v", err)
	}
	var report LoadReport
	nextFrame(t, bufio.NewReader(&out), FrameFailed, &report)
	if len(report.First) != 1 || len(report.Processes) != 0 || report.Reason == "" {
		t.Errorf("report: %+v", report)
	}
}

// A UDP port is served when a socket is bound to it.
func TestRunLoadAwaitsUDP(t *testing.T) {
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	spec := sh("sleep 1000")
	spec.Resident, spec.ListenUDP = true, []int{socket.LocalAddr().(*net.UDPAddr).Port}
	ctx, cancel := context.WithCancelCause(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- RunLoad(ctx, spec, in) }()
	frames := bufio.NewReader(out)
	var ready LoadReady
	nextFrame(t, frames, FrameReady, &ready)
	if len(ready.ListenUDP) != 1 || ready.ListenUDP[0] != spec.ListenUDP[0] {
		t.Errorf("ready = %+v", ready)
	}
	cancel(errCallerGone)
	var report LoadReport
	nextFrame(t, frames, FrameReport, &report)
	if err := <-ended; err != nil && !errors.Is(err, errCallerGone) {
		t.Errorf("RunLoad() = %v", err)
	}
}

// A process that ends before its UDP port is served is named with the port.
func TestRunLoadFailsWithoutUDP(t *testing.T) {
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := socket.LocalAddr().(*net.UDPAddr).Port
	_ = socket.Close()
	spec := sh("exit 4")
	spec.ListenUDP = []int{port}
	err = RunLoad(t.Context(), spec, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "sh exited with status 4 before UDP port") {
		t.Errorf("RunLoad() = %v", err)
	}
}
