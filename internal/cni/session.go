package cni

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

// ask runs cnibench-probe in a pod and decodes the frame that it answers with.
func ask(ctx context.Context, c *cluster.Cluster, pod cluster.Pod, kind string, into any, stdin io.Reader, args ...string) error {
	var stdout, stderr bytes.Buffer
	execErr := c.Exec(ctx, pod, append([]string{"cnibench-probe"}, args...), stdin, &stdout, &stderr)
	got, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	if err != nil {
		if execErr != nil {
			return fmt.Errorf("%w: %s", execErr, bytes.TrimSpace(stderr.Bytes()))
		}
		return fmt.Errorf("reading the answer of cnibench-probe %q: %w", args, err)
	}
	if got != kind {
		return fmt.Errorf("cnibench-probe %q answered with a frame of kind %s", args, got)
	}
	return json.Unmarshal(payload, into)
}

// runner starts cnibench-probe somewhere and returns when it has ended.
type runner func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error

func inPod(c *cluster.Cluster, pod cluster.Pod) runner {
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return c.Exec(ctx, pod, append([]string{"cnibench-probe"}, args...), stdin, stdout, stderr)
	}
}

func onNode(c *cluster.Cluster, node string) runner {
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return c.RunOnNode(ctx, node, c.ProbeArgv(args...), stdin, stdout, stderr)
	}
}

// session is a cnibench-probe that works until its stdin is closed.
type session struct {
	where  string
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	frames *bufio.Reader // of stdout
	stderr bytes.Buffer
	ended  chan struct{}
	err    error // once ended
}

// open starts a command of the probe and hands it its specification.
func open(ctx context.Context, where string, run runner, command string, spec any) (*session, error) {
	line, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	stdin, toStdin := io.Pipe()
	fromStdout, stdout := io.Pipe()
	s := &session{where: where, stdin: toStdin, stdout: fromStdout, frames: bufio.NewReader(fromStdout), ended: make(chan struct{})}
	go func() {
		s.err = run(ctx, []string{command}, stdin, stdout, &s.stderr)
		_ = toStdin.Close() // a late writer must not hang
		_ = stdout.Close()
		close(s.ended)
	}()
	if _, err := toStdin.Write(append(line, '\n')); err != nil {
		return nil, s.explain(err)
	}
	return s, nil
}

// closeInput tells the program to finish.
func (s *session) closeInput() { _ = s.stdin.Close() }

// end waits until the program has ended. What it still writes is not read.
func (s *session) end() {
	s.closeInput()
	_ = s.stdout.Close() // what it still writes must not keep it from ending
	<-s.ended
}

// read waits for a frame of the given kind and decodes it.
func (s *session) read(kind string, into any) error {
	got, payload, err := probe.ReadFrame(s.frames)
	if err != nil {
		return s.explain(err)
	}
	if got != kind {
		s.end()
		return fmt.Errorf("%s: cnibench-probe sent a frame of kind %q, not %q: %.300s", s.where, got, kind, payload)
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("%s: decoding a frame of kind %q: %w", s.where, kind, err)
	}
	return nil
}

// explain adds what the program and its transport said to an error about its
// output.
func (s *session) explain(err error) error {
	s.end()
	if s.err != nil {
		err = fmt.Errorf("%w: %w", s.err, err)
	}
	if text := bytes.TrimSpace(s.stderr.Bytes()); len(text) > 0 {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return fmt.Errorf("%s: %w", s.where, err)
}
