package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// sampler is a running probe.
type sampler struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	frames *bufio.Reader
}

// startSampler starts the probe at 1 Hz with everything on; it returns when the
// first sample is taken.
func startSampler(ctx context.Context, program string, groups map[string][]string) (*sampler, error) {
	spec, err := json.Marshal(sample.Spec{Interval: time.Second, Groups: groups})
	if err != nil {
		return nil, err
	}
	s := &sampler{cmd: exec.CommandContext(ctx, program, "sample")}
	s.cmd.Stderr = os.Stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.frames = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(spec, '\n')); err != nil {
		return nil, err
	}
	_, err = s.frame(probe.FrameReady)
	return s, err
}

func (s *sampler) frame(kind string) ([]byte, error) {
	got, payload, err := probe.ReadFrame(s.frames)
	if err != nil {
		return nil, err
	}
	if got != kind {
		return nil, fmt.Errorf("frame %s instead of %s", got, kind)
	}
	return payload, nil
}

// stop ends the probe and returns what it saw.
func (s *sampler) stop() (sample.Series, int, error) {
	var series sample.Series
	if err := s.in.Close(); err != nil {
		return series, 0, err
	}
	payload, err := s.frame(probe.FrameSeries)
	if err != nil {
		return series, 0, err
	}
	if err := json.Unmarshal(payload, &series); err != nil {
		return series, 0, err
	}
	return series, len(payload), s.cmd.Wait()
}

// groupCount is how many groups a trial on a lab has: load, plugin, cluster,
// host daemons, and room for one more.
const groupCount = 5

// makeGroups makes cgroups, one for each group, and returns what removes them.
// What reading one costs does not depend on what is in it.
func makeGroups(root string) (map[string][]string, func(), error) {
	roots := []string{filepath.Join(root, "cpuacct"), filepath.Join(root, "memory")}
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		roots = []string{root}
	}
	groups := map[string][]string{}
	remove := func() {
		for _, r := range roots {
			for _, paths := range groups {
				_ = os.Remove(filepath.Join(r, paths[0])) // may not be there
			}
		}
	}
	for i := range groupCount {
		path := fmt.Sprintf("cnibench-bench-%d-%d", os.Getpid(), i+1)
		groups[fmt.Sprint("group", i+1)] = []string{path}
		for _, r := range roots {
			if err := os.Mkdir(filepath.Join(r, path), 0o755); err != nil {
				remove()
				return nil, nil, err
			}
		}
	}
	return groups, remove, nil
}
