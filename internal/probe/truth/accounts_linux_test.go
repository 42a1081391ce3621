//go:build e2e

package truth

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// clang and llvm-strip are in Debian's packages clang and llvm.
//go:generate go run github.com/cilium/ebpf/cmd/bpf2go -target bpfel -tags e2e -type cpu_account account bpf/account.c -- -O2 -g -Wall -Werror

// accounts are the BPF programs of bpf/account.c at their tracepoints.
type accounts struct{ objects accountObjects }

// tally is what a CPU did since the programs were attached, in seconds.
type tally struct {
	softirq float64
	// busy is the time in tasks other than the idle one, and in softirqs that
	// interrupted that. Hard interrupts of an idle CPU are not in it.
	busy float64
	// softirqTicks is how often the tick interrupted a softirq.
	softirqTicks float64
}

func attach(t *testing.T) *accounts {
	t.Helper()
	spec, err := loadAccount()
	if err != nil {
		t.Fatal(err)
	}
	if err := spec.Variables["tick_function"].Set(tickFunction(t)); err != nil {
		t.Fatal(err)
	}
	a := &accounts{}
	if err := spec.LoadAndAssign(&a.objects, nil); err != nil {
		t.Fatalf("loading BPF programs (root, and a kernel with BTF): %+v", err)
	}
	t.Cleanup(func() { _ = a.objects.Close() }) // nothing is pinned
	for _, p := range []*ebpf.Program{a.objects.EnterSoftirq, a.objects.ExitSoftirq, a.objects.SwitchTask, a.objects.ExpireTimer} {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			t.Fatalf("attaching %v: %v", p, err)
		}
		t.Cleanup(func() { _ = l.Close() }) // ends with the process all the same
	}
	return a
}

// tickFunction is the address of what the tick's timer calls:
// tick_nohz_handler, or tick_sched_timer before Linux 6.9.
func tickFunction(t *testing.T) uint64 {
	t.Helper()
	symbols, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(symbols)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && (fields[2] == "tick_nohz_handler" || fields[2] == "tick_sched_timer") {
			if address, err := strconv.ParseUint(fields[0], 16, 64); err == nil && address != 0 {
				return address
			}
		}
	}
	t.Fatal("/proc/kallsyms does not tell where the tick begins")
	return 0
}

// read returns the tallies of all possible CPUs. What goes on is counted up to
// now; that a program may write meanwhile costs a few microseconds.
func (a *accounts) read() ([]tally, error) {
	var perCPU []accountCpuAccount
	if err := a.objects.Accounts.Lookup(uint32(0), &perCPU); err != nil {
		return nil, err
	}
	var clock unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &clock); err != nil {
		return nil, err
	}
	now := uint64(clock.Nano())
	tallies := make([]tally, len(perCPU))
	for i, c := range perCPU {
		busy := c.TaskNs + c.IdleSoftirqNs
		if c.TaskSince > 0 && now > c.TaskSince {
			busy += now - c.TaskSince
		}
		tallies[i].busy = float64(busy) / 1e9
		for _, ns := range c.SoftirqNs {
			tallies[i].softirq += float64(ns) / 1e9
		}
		tallies[i].softirqTicks = float64(c.SoftirqTicks)
	}
	return tallies, nil
}
