package scenario

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// session is a cnibench-probe that runs somewhere and answers in frames. It
// lives until its stdin is closed.
type session struct {
	where  string
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	frames *bufio.Reader // of stdout
	stderr bytes.Buffer
	ended  chan error
}

// runner starts a program with its streams connected and returns when it has
// ended: in a pod or on a node.
type runner func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error

func inPod(c *cluster.Cluster, pod cluster.Pod) runner {
	return func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return c.Exec(ctx, pod, append([]string{"cnibench-probe"}, argv...), stdin, stdout, stderr)
	}
}

func onNode(c *cluster.Cluster, node string) runner {
	return func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return c.RunOnNode(ctx, node, c.ProbeArgv(argv...), stdin, stdout, stderr)
	}
}

// open starts a command of the probe and hands it its specification.
func open(ctx context.Context, where string, run runner, command string, spec any) (*session, error) {
	line, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	stdin, toStdin := io.Pipe()
	fromStdout, stdout := io.Pipe()
	s := &session{where: where, stdin: toStdin, stdout: fromStdout, frames: bufio.NewReader(fromStdout), ended: make(chan error, 1)}
	go func() {
		err := run(ctx, []string{command}, stdin, stdout, &s.stderr)
		_ = toStdin.Close() // a late writer must not hang
		_ = stdout.Close()
		s.ended <- err
	}()
	if _, err := toStdin.Write(append(line, '\n')); err != nil {
		return nil, s.explain(err)
	}
	return s, nil
}

// close ends the program's stdin: a sampler answers with its series, a load
// kills what still runs.
func (s *session) close() { _ = s.stdin.Close() }

// read waits for a frame of the given kind and decodes it. A load that failed
// says why in a frame of its own.
func (s *session) read(kind string, into any) error {
	got, payload, err := probe.ReadFrame(s.frames)
	if err != nil {
		return s.explain(err)
	}
	if got == probe.FrameFailed {
		var report probe.LoadReport
		if err := json.Unmarshal(payload, &report); err != nil {
			return fmt.Errorf("%s: decoding its failure: %w", s.where, err)
		}
		return &loadError{s.where, report}
	}
	if got != kind {
		return fmt.Errorf("%s: cnibench-probe sent a frame of kind %q, not %q", s.where, got, kind)
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("%s: decoding a frame of kind %q: %w", s.where, kind, err)
	}
	return nil
}

// explain adds what the program and its transport said to an error about its
// output.
func (s *session) explain(err error) error {
	s.close()
	_ = s.stdout.Close() // what it still writes must not keep it from ending
	if ended := <-s.ended; ended != nil {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if text := bytes.TrimSpace(s.stderr.Bytes()); len(text) > 0 {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return fmt.Errorf("%s: %w", s.where, err)
}

// loadError says that a load did not take place, and keeps the report.
type loadError struct {
	where  string
	report probe.LoadReport
}

func (e *loadError) Error() string { return e.where + ": " + e.report.Reason }
