package rtt

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const btfFile = "/sys/kernel/btf/vmlinux"

// ThisMachine describes the machine and the process.
func ThisMachine() (Machine, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return Machine{}, fmt.Errorf("asking for the kernel's release: %w", err)
	}
	m := Machine{Release: unix.ByteSliceToString(name.Release[:])}
	_, err := os.Stat(btfFile)
	m.BTF = err == nil
	if _, sys := os.Stat("/sys/kernel"); sys != nil {
		m.BTF = true // no sysfs here: the kernel itself will say
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return Machine{}, fmt.Errorf("reading capabilities: %w", err)
	}
	m.Capabilities, err = capabilities(string(status))
	return m, err
}

func capabilities(status string) (uint64, error) {
	for line := range strings.Lines(status) {
		if mask, ok := strings.CutPrefix(line, "CapEff:"); ok {
			return strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
		}
	}
	return 0, errors.New("/proc/self/status has no CapEff")
}
