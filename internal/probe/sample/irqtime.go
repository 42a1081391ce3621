package sample

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// How the kernel accounts the CPU time of interrupts.
const (
	irqExact   = "exact"
	irqTick    = "tick"
	irqUnknown = "unknown"
)

// IRQTime tells how the kernel accounts the CPU time of interrupts: exact, tick
// or unknown. It looks for the kernel's configuration in procfs and, as
// distributions do, in /boot.
func IRQTime(procfs string) string {
	if f, err := os.Open(filepath.Join(procfs, "config.gz")); err == nil {
		defer func() { _ = f.Close() }() // only read from
		if config, err := gzip.NewReader(f); err == nil {
			return irqTime(config)
		}
	}
	release, err := os.ReadFile(filepath.Join(procfs, "sys/kernel/osrelease"))
	if err != nil {
		return irqUnknown
	}
	config, err := os.Open("/boot/config-" + strings.TrimSpace(string(release)))
	if err != nil {
		return irqUnknown
	}
	defer func() { _ = config.Close() }() // only read from
	return irqTime(config)
}

// irqTime tells from a kernel's build configuration how it accounts the CPU
// time of interrupts: at every entry and exit, or by what the timer tick
// happens to interrupt.
func irqTime(config io.Reader) string {
	accounting := irqUnknown
	lines := bufio.NewScanner(config)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "CONFIG_IRQ_TIME_ACCOUNTING=y", line == "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y":
			return irqExact
		case strings.HasPrefix(line, "CONFIG_HZ="):
			accounting = irqTick // it is a configuration, and says nothing to the contrary
		}
	}
	if lines.Err() != nil {
		return irqUnknown
	}
	return accounting
}
