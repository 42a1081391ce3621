//go:build e2e

// Package e2e tests the built program on a real machine: labs, crashes,
// interrupts and small campaigns. It needs root and a machine that can run
// labs and runs none. `make e2e` runs it.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var programFlag = flag.String("cnibench", "../bin/cnibench", "program under test")

// program is the absolute path of the program under test.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// prepare refuses machines on which the tests would fail for no fault of the
// program, and gets what labs need, so that no test waits for a compiler.
func prepare() (err error) {
	if os.Geteuid() != 0 {
		return fmt.Errorf("the end-to-end tests need root")
	}
	if program, err = filepath.Abs(*programFlag); err != nil {
		return err
	}
	list, err := exec.Command(program, "lab", "list").Output()
	if err != nil {
		return fmt.Errorf("%s lab list: %w (`make build` makes the program)", program, err)
	}
	if lines := strings.Split(strings.TrimSpace(string(list)), "\n"); len(lines) > 1 {
		return fmt.Errorf("labs run on this machine, whose snapshots would differ: end them first\n%s", list)
	}
	supply := exec.Command(program, "lab", "supply")
	supply.Stdout, supply.Stderr = os.Stdout, os.Stderr
	if err := supply.Run(); err != nil {
		return fmt.Errorf("%s lab supply: %w", program, err)
	}
	return nil
}
