package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/node"
)

// enter prepares a command inside the namespaces of the process pid, counted
// in the given control group's exec part.
func enter(ctx context.Context, pid int, nodeGroup string, argv []string) *exec.Cmd {
	args := []string{
		"--target", strconv.Itoa(pid), "--mount", "--uts", "--ipc", "--net", "--pid", "--wdns=/", "--",
		node.Program, "exec", node.ExecGroup(nodeGroup),
	}
	cmd := exec.CommandContext(ctx, "nsenter", append(args, argv...)...)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "TERM=" + os.Getenv("TERM")}
	return cmd
}

// Command prepares a program that runs as root inside a node of the lab, with
// the node's file system, network and processes.
func (l *Lab) Command(ctx context.Context, nodeName string, argv ...string) (*exec.Cmd, error) {
	pid, ok := l.record.Nodes[nodeName]
	if !ok {
		return nil, fmt.Errorf("lab %s has no node %s: it has %s", l.Name(), nodeName, strings.Join(l.AllNodes(), ", "))
	}
	if state := l.State(); state != Running {
		return nil, fmt.Errorf("lab %s is %s", l.Name(), state)
	}
	return enter(ctx, pid, cgroupOf(l.Name())+"/"+nodeName, argv), nil
}

// Kubectl prepares the lab's own kubectl on the machine.
func (l *Lab) Kubectl(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.record.Kubernetes, args...)
	cmd.Args[0] = "kubectl" // the program chooses by its name
	cmd.Env = append(os.Environ(), "KUBECONFIG="+l.KubeconfigFile())
	return cmd
}
