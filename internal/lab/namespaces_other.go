//go:build !linux

package lab

import "syscall"

// inNewNamespaces is never called: CheckMachine refuses every other system.
func inNewNamespaces() *syscall.SysProcAttr {
	panic("namespaces need Linux")
}

func containerRuntime() (string, error) { return plainRuntime, nil }
