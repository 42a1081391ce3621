//go:build linux

package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// restartDelay keeps a failing service from spinning.
const restartDelay = time.Second

// running is a service under supervision. Only the loop in keepRunning
// touches it.
type running struct {
	Service
	State
}

// keepRunning starts every service as soon as its dependencies answer, reaps
// all children, also those that were inherited, and restarts what ended.
// Services live in the control group namespace of cgroups.
func keepRunning(services []Service, cgroups *os.File) error {
	for _, dir := range []string{ServiceDir, LogDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("starting services: %w", err)
		}
	}
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	due := make(chan *running, len(services))
	for _, s := range services {
		go awaitThenQueue(&running{Service: s}, due)
	}
	byPID := map[int]*running{}
	for {
		select {
		case s := <-due:
			if err := s.start(cgroups); err != nil {
				return err
			}
			byPID[s.PID] = s
		case <-children:
			for pid, status := range reap() {
				s, ours := byPID[pid]
				if !ours {
					continue
				}
				delete(byPID, pid)
				s.PID, s.Last = 0, describe(status)
				if err := s.record(); err != nil {
					return err
				}
				go func() {
					time.Sleep(restartDelay)
					awaitThenQueue(s, due)
				}()
			}
		}
	}
}

// reap collects every child that has ended.
func reap() map[int]unix.WaitStatus {
	ended := map[int]unix.WaitStatus{}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return ended
		}
		ended[pid] = status
	}
}

func describe(status unix.WaitStatus) string {
	if status.Signaled() {
		return "killed by " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}

func awaitThenQueue(s *running, due chan<- *running) {
	for _, endpoint := range s.After {
		await(endpoint)
	}
	due <- s
}

// start runs the service once, in its control group, and records it.
func (s *running) start(cgroups *os.File) error {
	log, err := os.OpenFile(filepath.Join(LogDir, s.Name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return fmt.Errorf("starting %s: %w", s.Name, err)
	}
	defer func() { _ = log.Close() }() // the service has its own
	// The program joins the group itself, before it becomes the service.
	argv := append([]string{"cnibench-node", "service", s.Cgroup}, s.Argv...)
	process, err := os.StartProcess(Program, argv, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"},
		Files: []*os.File{nil, log, log, cgroups},
		Sys:   &unix.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("starting %s: %w", s.Name, err)
	}
	s.PID, s.Starts = process.Pid, s.Starts+1
	// keepRunning waits for all children itself.
	if err := process.Release(); err != nil {
		return fmt.Errorf("starting %s: %w", s.Name, err)
	}
	return s.record()
}

func (s *running) record() error {
	b, err := json.Marshal(s.State)
	if err != nil {
		return err
	}
	// Readers must never see half a record.
	file := filepath.Join(ServiceDir, s.Name+".json")
	if err := errors.Join(os.WriteFile(file+".new", b, 0o644), os.Rename(file+".new", file)); err != nil {
		return fmt.Errorf("recording %s: %w", s.Name, err)
	}
	return nil
}
