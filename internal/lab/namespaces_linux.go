package lab

import (
	"syscall"

	"github.com/cnibench/cnibench/internal/lab/node"
)

// inNewNamespaces starts a program in the namespaces that a lab lives in.
func inNewNamespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
	}
}

// containerRuntime is the path of runc in nodes of this machine.
func containerRuntime() (string, error) {
	lacks, err := node.LacksCapabilities()
	if lacks {
		return node.RuncProgram, err
	}
	return plainRuntime, err
}
