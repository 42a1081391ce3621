package probe

import (
	"bufio"
	"io"
	"strings"
)

// How the kernel accounts the CPU time of interrupts.
const (
	irqExact   = "exact"
	irqTick    = "tick"
	irqUnknown = "unknown"
)

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
