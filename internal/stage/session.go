package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// Session is a cnibench-probe that runs somewhere and answers in frames. It
// lives until its stdin is closed.
type Session struct {
	Where  string // what runs where, for errors
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	frames *bufio.Reader // of stdout
	stderr bytes.Buffer
	ended  chan error
}

// Runner starts a program with its streams connected and returns when it has
// ended: in a pod or on a node.
type Runner func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error

// ProbeInPod runs commands of the probe in a load pod.
func ProbeInPod(c *cluster.Cluster, pod cluster.Pod) Runner {
	return ProgramInPod(c, pod, probeName)
}

// ProgramInPod runs commands of a program in a load pod that answers as the
// probe does.
func ProgramInPod(c *cluster.Cluster, pod cluster.Pod, program string) Runner {
	return func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return c.Exec(ctx, pod, append([]string{program}, argv...), stdin, stdout, stderr)
	}
}

// ProbeOnNode runs commands of the probe on a node, outside of all pods.
func ProbeOnNode(c *cluster.Cluster, node string) Runner {
	return func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return c.RunOnNode(ctx, node, c.ProbeArgv(argv...), stdin, stdout, stderr)
	}
}

// Open starts a command of the probe and hands it its specification, as JSON.
// Where names it in errors.
func Open(ctx context.Context, where string, run Runner, command string, spec any) (*Session, error) {
	line, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	stdin, toStdin := io.Pipe()
	fromStdout, stdout := io.Pipe()
	s := &Session{Where: where, stdin: toStdin, stdout: fromStdout, frames: bufio.NewReader(fromStdout), ended: make(chan error, 1)}
	go func() {
		err := run(ctx, []string{command}, stdin, stdout, &s.stderr)
		_ = toStdin.Close() // a late writer must not hang
		_ = stdout.Close()
		s.ended <- err
		close(s.ended) // whoever asks once more is told at once
	}()
	if err := s.Send(append(line, '\n')); err != nil {
		return nil, s.Explain(err)
	}
	return s, nil
}

// Send writes to the program's stdin. Its error is [io.ErrClosedPipe] once the
// program has ended; Read then tells why.
func (s *Session) Send(data []byte) error {
	_, err := s.stdin.Write(data)
	return err
}

// Close ends the program's stdin: a sampler answers with its series, a load
// kills what still runs.
func (s *Session) Close() { _ = s.stdin.Close() }

// End ends the program's stdin and returns when the program has ended: only
// then is what it listened on free. What it still writes is lost, and it cannot
// be read from any more. It is an error if that takes longer than PodTimeout.
func (s *Session) End() error {
	s.Close()
	_ = s.stdout.Close() // what it still writes must not keep it from ending
	select {
	case how := <-s.ended:
		_ = how // nobody waits for an answer
		return nil
	case <-time.After(PodTimeout):
		return fmt.Errorf("%s: it did not end within %s", s.Where, PodTimeout)
	}
}

// Read waits for a frame of the given kind and decodes it. A load that failed
// says why in a frame of its own, which becomes a [*LoadError].
func (s *Session) Read(kind string, into any) error {
	got, payload, err := probe.ReadFrame(s.frames)
	if err != nil {
		return s.Explain(err)
	}
	if got == probe.FrameFailed {
		var report probe.LoadReport
		if err := json.Unmarshal(payload, &report); err != nil {
			return fmt.Errorf("%s: decoding its failure: %w", s.Where, err)
		}
		return &LoadError{s.Where, report}
	}
	if got != kind {
		return fmt.Errorf("%s: cnibench-probe sent a frame of kind %q, not %q", s.Where, got, kind)
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("%s: decoding a frame of kind %q: %w", s.Where, kind, err)
	}
	return nil
}

// Explain ends the program and adds what it and its transport said to an error
// about its output.
func (s *Session) Explain(err error) error {
	s.Close()
	_ = s.stdout.Close() // what it still writes must not keep it from ending
	if ended := <-s.ended; ended != nil {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if text := bytes.TrimSpace(s.stderr.Bytes()); len(text) > 0 {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return fmt.Errorf("%s: %w", s.Where, err)
}

// LoadError says that a load did not take place, and keeps the report.
type LoadError struct {
	where  string
	Report probe.LoadReport
}

func (e *LoadError) Error() string { return e.where + ": " + e.Report.Reason }
