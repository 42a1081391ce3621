//go:build linux

package node

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Descriptors that pid 1 of a node inherits.
const (
	goFD       = 3 // gives "go" when the network is there
	preparedFD = 4 // takes "up" when the services are about to start
	machineFD  = 5 // the machine's control group namespace
)

// Init is pid 1 of a node: it takes its root file system, starts the services
// and keeps them running. It returns only with an error.
func Init(specFile, name string) error {
	spec, err := ReadLab(specFile)
	if err != nil {
		return err
	}
	n, err := spec.node(name)
	if err != nil {
		return err
	}
	if err := enterCgroupNamespace(n); err != nil {
		return fmt.Errorf("preparing node %s: %w", n.Name, err)
	}
	network := os.NewFile(goFD, "go")
	if _, err := network.Read(make([]byte, 2)); err != nil {
		return fmt.Errorf("waiting for the network: %w", err)
	}
	// Services must inherit neither pipe.
	_ = network.Close()
	if err := prepare(n); err != nil {
		return fmt.Errorf("preparing node %s: %w", n.Name, err)
	}
	prepared := os.NewFile(preparedFD, "prepared")
	if _, err := prepared.WriteString("up"); err != nil {
		return fmt.Errorf("reporting that node %s is prepared: %w", n.Name, err)
	}
	_ = prepared.Close()
	return keepRunning(n.Services, os.NewFile(machineFD, "the machine's control groups"))
}

func prepare(n Node) error {
	if err := createGroups(n); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(n.Name)); err != nil {
		return fmt.Errorf("setting the host name: %w", err)
	}
	if err := enterRoot(n); err != nil {
		return err
	}
	return setSysctls(n.Sysctls)
}
