//go:build linux

package node

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
)

const ownCgroupNamespace = "/proc/self/ns/cgroup"

// enterCgroupNamespace gives pid 1 of a node a control group namespace of which
// the node's own group is the root. A network plugin that mounts the unified
// hierarchy through pid 1's namespaces, as Cilium's chart does, and attaches
// programs to its root then reaches this node and nothing else. What pid 1
// starts goes back to the machine's view, see ExecService: container runtimes
// expect paths and mounts to agree.
//
// It returns when the process has the namespace. A namespace belongs to a
// thread, so the process gets there by running its program once more.
func enterCgroupNamespace(n Node) error {
	var machine, own unix.Stat_t
	if err := unix.Fstat(machineFD, &machine); err != nil {
		return fmt.Errorf("looking at the machine's control group namespace: %w", err)
	}
	if err := unix.Stat(ownCgroupNamespace, &own); err != nil {
		return fmt.Errorf("looking at the control group namespace: %w", err)
	}
	if machine.Ino != own.Ino {
		unix.CloseOnExec(machineFD)
		return nil
	}
	groups, err := cgroup.Detect()
	if err != nil {
		return err
	}
	if err := groups.Join(n.Cgroup); err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("making a control group namespace: %w", err)
	}
	return fmt.Errorf("running in a control group namespace: %w", unix.Exec("/proc/self/exe", os.Args, os.Environ()))
}

// createGroups makes the groups of the node's processes and moves pid 1 into
// its own. Version 2 hands controllers down only from a group without
// processes, so pid 1 leaves the node's group first.
func createGroups(n Node) error {
	groups, err := cgroup.Detect()
	if err != nil {
		return err
	}
	own := n.Cgroup + "/init"
	if err := groups.CreateLeaf(own); err != nil {
		return err
	}
	if err := groups.Join(own); err != nil {
		return err
	}
	leaves := []string{own, ExecGroup(n.Cgroup)}
	for _, s := range n.Services {
		leaves = append(leaves, s.Cgroup)
	}
	for _, leaf := range leaves {
		if err := groups.Create(leaf); err != nil {
			return err
		}
	}
	return nil
}
