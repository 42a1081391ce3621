package stage

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cnibench/cnibench/internal/probe"
)

// fakeProbe stands for a cnibench-probe: it writes what it is given and ends.
func fakeProbe(stdout, stderr string, end error) Runner {
	return func(_ context.Context, _ []string, stdin io.Reader, out, errOut io.Writer) error {
		if _, err := bufio.NewReader(stdin).ReadString('\n'); err != nil {
			return err
		}
		_, _ = io.WriteString(out, stdout)
		_, _ = io.WriteString(errOut, stderr)
		return end
	}
}

func frame(t *testing.T, kind string, v any) string {
	t.Helper()
	var b strings.Builder
	if err := probe.WriteFrame(&b, kind, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func openFake(t *testing.T, run Runner) *Session {
	t.Helper()
	s, err := Open(t.Context(), "probe on node1", run, "sample", map[string]int{"interval": 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSessionReadsFrames(t *testing.T) {
	s := openFake(t, fakeProbe(frame(t, probe.FrameReady, map[string]string{"a": "b"}), "", nil))
	defer s.Close()
	var got map[string]string
	if err := s.Read(probe.FrameReady, &got); err != nil || got["a"] != "b" {
		t.Errorf("read %v, %v", got, err)
	}
}

// Whatever goes wrong, the error says where, and all that is known.
func TestSessionExplains(t *testing.T) {
	ended := errors.New("exit status 2")
	good := frame(t, probe.FrameReady, map[string]string{"a": "b"})
	for _, tt := range []struct {
		name string
		run  Runner
		want []string
	}{
		{"it says nothing", fakeProbe("", "", nil), []string{"EOF"}},
		{"it fails", fakeProbe("", "no such group\n", ended), []string{"exit status 2", "no such group"}},
		{"it is cut off", fakeProbe(good[:len(good)-3], "killed", ended), []string{"exit status 2", "killed"}},
		{"it is no probe", fakeProbe("hello\n", "", nil), nil},
		{"it sends something else", fakeProbe(frame(t, probe.FrameSeries, 1), "", nil), []string{probe.FrameSeries, probe.FrameReady}},
		{"it sends something of another shape", fakeProbe(frame(t, probe.FrameReady, 1), "", nil), []string{probe.FrameReady}},
		{"the load failed", fakeProbe(frame(t, probe.FrameFailed, probe.LoadReport{Reason: "port 5201 is taken"}), "", ended), []string{"port 5201 is taken"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openFake(t, tt.run)
			defer s.Close()
			var got map[string]string
			says(t, s.Read(probe.FrameReady, &got), append(tt.want, "probe on node1")...)
		})
	}
}

// The report of a load that failed is evidence and must not be lost.
func TestSessionKeepsTheReportOfAFailure(t *testing.T) {
	s := openFake(t, fakeProbe(frame(t, probe.FrameFailed, probe.LoadReport{Reason: "r", Processes: []probe.ProcessReport{{Stdout: "evidence"}}}), "", nil))
	defer s.Close()
	var failed *LoadError
	err := s.Read(probe.FrameReady, new(probe.LoadReady))
	if !errors.As(err, &failed) || failed.Report.Processes[0].Stdout != "evidence" {
		t.Errorf("error %v with %+v", err, failed)
	}
}

// A program that ends before it has read its specification does not hang its
// caller.
func TestOpenWhenTheProgramCannotStart(t *testing.T) {
	missing := errors.New("no such program")
	_, err := Open(t.Context(), "probe on node1", func(context.Context, []string, io.Reader, io.Writer, io.Writer) error { return missing }, "sample", 1)
	if err == nil {
		t.Skip("the specification was taken before the end was seen")
	}
	if !errors.Is(err, missing) || !strings.Contains(err.Error(), "probe on node1") {
		t.Errorf("error %v, want one that says where and why", err)
	}
}

// What a program listened on is free when it has ended, not when it was told.
func TestEndWaitsForTheProgram(t *testing.T) {
	var over atomic.Bool
	s, err := Open(t.Context(), "listener", func(_ context.Context, _ []string, stdin io.Reader, stdout, _ io.Writer) error {
		_, err := io.Copy(io.Discard, stdin)
		_, _ = stdout.Write([]byte("nobody reads this")) // must not keep it from ending
		over.Store(true)
		return err
	}, "listen", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.End(); err != nil || !over.Load() {
		t.Errorf("End() = %v, the program has ended: %t", err, over.Load())
	}
}
