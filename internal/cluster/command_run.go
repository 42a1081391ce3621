package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// CommandError says that a command of the user's failed.
type CommandError struct {
	What string // up, down or kubeconfig
	Err  error
	Tail string // the end of what it printed
	Log  string // file with all of it
}

func (e *CommandError) Error() string {
	text := fmt.Sprintf("cluster.command.%s: %v", e.What, e.Err)
	if e.Tail != "" {
		text += ": " + e.Tail
	}
	return text
}

func (e *CommandError) Unwrap() error { return e.Err }

// Hint says where the rest is.
func (e *CommandError) Hint() string { return "what it printed is in " + e.Log }

// killDelay is what a command gets to end after an interrupt.
const killDelay = 30 * time.Second

// run runs a command by the shell, appends what it prints to its log, and
// returns its standard output.
func (u userCommands) run(ctx context.Context, what, command string) (string, error) {
	if err := os.MkdirAll(u.provider.LogDir, 0o755); err != nil {
		return "", fmt.Errorf("keeping the log of cluster.command.%s: %w", what, err)
	}
	log, err := os.OpenFile(u.log(what), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return "", fmt.Errorf("keeping the log of cluster.command.%s: %w", what, err)
	}
	var stdout, all bytes.Buffer
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Env = u.environment()
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, &all, log), io.MultiWriter(&all, log)
	if what == "kubeconfig" {
		cmd.Stdout = &stdout // it holds keys, which no log needs
	}
	// An interrupt is for all that the command has started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = killDelay
	err = cmd.Run()
	if closeErr := log.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", &CommandError{what, errors.Join(err, ctx.Err()), tail(all.String()), u.log(what)}
	}
	return stdout.String(), nil
}

// tailLines is how much of a failed command's output its error repeats.
const tailLines = 3

func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], " | ")
}

// kubeconfig finds the file that the setting means. A kubeconfig that was
// printed is in a temporary file, which remove deletes.
func (u userCommands) kubeconfig(ctx context.Context, setting string) (file string, remove func(), err error) {
	remove = func() {}
	path := os.Expand(setting, func(name string) string {
		switch name {
		case "CNIBENCH_CLUSTER":
			return u.name
		case "CNIBENCH_VARIANT":
			return u.variant
		}
		return os.Getenv(name)
	})
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return path, remove, nil
	}
	printed, err := u.run(ctx, "kubeconfig", setting)
	if err != nil {
		return "", remove, err
	}
	if !strings.Contains(printed, "clusters:") {
		return strings.TrimSpace(printed), remove, nil
	}
	dir, err := os.MkdirTemp("", "cnibench-kubeconfig-")
	if err != nil {
		return "", remove, fmt.Errorf("keeping the kubeconfig: %w", err)
	}
	file = filepath.Join(dir, "kubeconfig")
	remove = func() { _ = os.RemoveAll(dir) } // it is the system's temporary directory
	return file, remove, os.WriteFile(file, []byte(printed), 0o600)
}
