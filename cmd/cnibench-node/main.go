//go:build linux

// Command cnibench-node is what cnibench runs inside a lab: the supervisor,
// pid 1 of each node, and the pause process of each pod. It is embedded in
// cnibench and started by it; nobody needs to call it by hand.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/lab/node"
)

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "cnibench-node: error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch filepath.Base(args[0]) {
	case "pause":
		node.Pause()
		return nil
	case "runc":
		return node.Runc(args)
	}
	switch {
	case len(args) == 3 && args[1] == "lab":
		return node.Supervise(args[2])
	case len(args) == 4 && args[1] == "init":
		return node.Init(args[2], args[3])
	case len(args) >= 4 && args[1] == "exec":
		return node.Exec(args[2], args[3:])
	case len(args) >= 4 && args[1] == "service":
		return node.ExecService(args[2], args[3:])
	}
	return fmt.Errorf("usage: cnibench-node lab SPEC | init SPEC NODE | exec CGROUP PROGRAM [ARGS] | service CGROUP PROGRAM [ARGS]")
}
