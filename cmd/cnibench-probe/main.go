//go:build linux

// Cnibench-probe runs load in pods and samples nodes; see package probe.
package main

import (
	"os"

	"github.com/cnibench/cnibench/internal/probe"
)

func main() {
	os.Exit(probe.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
