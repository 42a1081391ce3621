package lab

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/node"
)

// supervisor is a running cnibench-node that owns a lab's namespaces.
type supervisor struct {
	process Process
	nodes   map[string]int // pid 1 of each node, as the machine sees it
}

// startSupervisor writes the specification into dir, starts the supervisor in
// namespaces of its own and waits until its nodes run. The process outlives
// the caller. peer is the network namespace of the specification's peer.
func startSupervisor(program, dir string, spec node.Lab, api *os.File, peer ...*os.File) (supervisor, error) {
	specFile := filepath.Join(dir, "spec.json")
	b, err := json.Marshal(spec)
	if err != nil {
		return supervisor{}, err
	}
	if err := os.WriteFile(specFile, b, 0o600); err != nil {
		return supervisor{}, fmt.Errorf("writing lab specification: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(dir, "supervisor.log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return supervisor{}, fmt.Errorf("opening the supervisor's log: %w", err)
	}
	defer func() { _ = log.Close() }() // the supervisor has its own
	ready, report, err := os.Pipe()
	if err != nil {
		return supervisor{}, err
	}
	defer func() { _ = ready.Close() }() // only read from
	cmd := exec.Command(program, "lab", specFile)
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = append([]*os.File{api, report}, peer...)
	cmd.SysProcAttr = inNewNamespaces()
	cmd.SysProcAttr.Setsid = true
	err = cmd.Start()
	_ = report.Close() // the supervisor has its own
	if err != nil {
		return supervisor{}, fmt.Errorf("starting the lab's supervisor in new namespaces: %w", err)
	}
	return awaitSupervisor(cmd, ready, log.Name(), spec)
}

func awaitSupervisor(cmd *exec.Cmd, ready *os.File, log string, spec node.Lab) (supervisor, error) {
	line, _ := bufio.NewReader(ready).ReadString('\n')
	if line != "ok\n" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return supervisor{}, fmt.Errorf("starting the lab's nodes: %s", lastLine(log))
	}
	// Collected if it ends while we live; pid 1 of the machine does it later.
	go func() { _ = cmd.Wait() }()
	process, err := processOf(cmd.Process.Pid)
	if err != nil {
		return supervisor{}, err
	}
	s := supervisor{process: process, nodes: map[string]int{}}
	for _, n := range spec.Nodes {
		pid, err := childWithArgs(process.PID, "init", filepath.Join(filepath.Dir(log), "spec.json"), n.Name)
		if err != nil {
			return s, fmt.Errorf("finding pid 1 of %s: %w", n.Name, err)
		}
		s.nodes[n.Name] = pid
	}
	return s, nil
}

func lastLine(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.TrimPrefix(lines[len(lines)-1], "cnibench-node: error: ")
}

// listenLoopback opens the API's port on the machine, as a file to hand over.
func listenLoopback() (*os.File, int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, 0, fmt.Errorf("opening a port for the API: %w", err)
	}
	defer func() { _ = l.Close() }() // the file is another handle on it
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		return nil, 0, fmt.Errorf("opening a port for the API: %w", err)
	}
	return f, l.Addr().(*net.TCPAddr).Port, nil
}
