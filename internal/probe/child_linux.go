package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cnibench/cnibench/internal/probe/procfs"
	"golang.org/x/sys/unix"
)

const (
	maxOutput = 64 << 20 // bytes kept of each output stream
	// threadPoll is how often a process's threads are looked at. CPU times
	// have 10 ms ticks, so more often tells little more.
	threadPoll = 200 * time.Millisecond
	// pipeGrace is how long output is awaited from descendants that left the
	// process group and hold the pipe.
	pipeGrace = time.Second
)

// child is one process of a load. Its report may be read when done is closed.
type child struct {
	cmd            *exec.Cmd
	stdout, stderr cappedBuffer
	report         ProcessReport
	gone           chan struct{} // closed when the process has exited
	done           chan struct{} // closed when the report is complete
}

// startChild starts p in a process group of its own. The group is killed when
// ctx ends or after timeout.
func startChild(ctx context.Context, p Process, timeout time.Duration) (*child, error) {
	c := &child{
		cmd:    exec.Command(p.Argv[0], p.Argv[1:]...),
		stdout: cappedBuffer{limit: maxOutput},
		stderr: cappedBuffer{limit: maxOutput},
		report: ProcessReport{Argv: p.Argv, ExitCode: -1},
		gone:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	if p.Stdin != "" {
		c.cmd.Stdin = strings.NewReader(p.Stdin)
	}
	c.cmd.WaitDelay = pipeGrace
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := time.Now()
	c.report.Start = wall(started)
	if err := c.cmd.Start(); err != nil {
		c.report.End, c.report.Error = wall(time.Now()), err.Error()
		close(c.gone)
		close(c.done)
		return c, err
	}
	go c.awaitExit()
	go c.supervise(ctx, started, timeout)
	return c, nil
}

// awaitExit closes c.gone when the process has exited. The process is left a
// zombie, so that its pid, which is its group's too, stays its own.
func (c *child) awaitExit() {
	defer close(c.gone)
	for {
		err := unix.Waitid(unix.P_PID, c.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// supervise watches the process to its end and completes the report.
func (c *child) supervise(ctx context.Context, started time.Time, timeout time.Duration) {
	defer close(c.done)
	watch := newThreadWatch(c.cmd.Process.Pid)
	expired := time.NewTimer(timeout)
	defer expired.Stop()
	poll := time.NewTicker(threadPoll)
	defer poll.Stop()
	cancelled := ctx.Done()
	for running := true; running; {
		select {
		case <-c.gone:
			running = false
		case <-poll.C:
			watch.sample(time.Since(started))
		case <-expired.C:
			c.report.TimedOut = true
			c.killGroup()
		case <-cancelled:
			cancelled = nil
			c.killGroup()
		}
	}
	life := time.Since(started)
	c.report.End = wall(time.Now())
	watch.sample(life)
	c.report.Threads, c.report.BusiestThread = watch.threads, watch.busiest(life/2)
	c.killGroup() // what the process left behind
	c.reap()
}

// reap collects the exit status and the output.
func (c *child) reap() {
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.report.Error = err.Error()
	}
	state := c.cmd.ProcessState
	if state != nil {
		c.report.ExitCode = state.ExitCode()
		c.report.UserSeconds = state.UserTime().Seconds()
		c.report.SystemSeconds = state.SystemTime().Seconds()
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			c.report.Signal = unix.SignalName(status.Signal())
		}
	}
	c.report.Stdout, c.report.Stderr = c.stdout.String(), c.stderr.String()
	c.report.Truncated = c.stdout.truncated || c.stderr.truncated
}

func (c *child) killGroup() {
	// The group is gone already if this fails, and that is what is wanted.
	_ = unix.Kill(-c.cmd.Process.Pid, unix.SIGKILL)
}

// describeEnd says how the process ended; only once done is closed.
func (c *child) describeEnd() string {
	r := c.report
	end := fmt.Sprintf("%s exited with status %d", r.Argv[0], r.ExitCode)
	switch {
	case r.TimedOut:
		end = r.Argv[0] + " ran into its timeout"
	case r.Signal != "":
		end = r.Argv[0] + " was ended by " + r.Signal
	}
	if text := strings.TrimSpace(r.Stderr + " " + r.Stdout); text != "" {
		end += " (" + procfs.Quote(text) + ")"
	}
	return end
}

// wall is t as the frames carry it: UTC, without a monotonic part.
func wall(t time.Time) time.Time { return t.Round(0).UTC() }

// threadWatch keeps the CPU time of each thread of a process over time.
type threadWatch struct {
	dir     string
	last    time.Duration // of the previous sample
	points  map[string][]cpuPoint
	threads int
}

func newThreadWatch(pid int) *threadWatch {
	return &threadWatch{dir: "/proc/" + strconv.Itoa(pid) + "/task", points: map[string][]cpuPoint{}}
}

// sample reads the threads once. A thread that cannot be read has just ended.
func (w *threadWatch) sample(at time.Duration) {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return
	}
	w.threads = max(w.threads, len(entries))
	for _, e := range entries {
		data, err := os.ReadFile(w.dir + "/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		cpu, err := parseTaskCPU(data)
		if err != nil {
			continue
		}
		points := w.points[e.Name()]
		if points == nil { // born, without CPU time, after the previous sample
			points = []cpuPoint{{at: w.last}}
		}
		w.points[e.Name()] = append(points, cpuPoint{at: at, cpu: cpu})
	}
	w.last = at
}

func (w *threadWatch) busiest(shortest time.Duration) float64 {
	best := 0.0
	for _, points := range w.points {
		best = max(best, busiestShare(points, shortest))
	}
	return best
}
