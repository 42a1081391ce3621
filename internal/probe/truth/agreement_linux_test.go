//go:build e2e

package truth

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// relative is how far two accounts of the same may be apart.
const relative = 0.02

// comparison is one quantity as the sampler has it and as somebody else has.
type comparison struct {
	name         string
	probe, other float64
	// error is the standard error of sampling by the timer tick, 0 where
	// neither side does that. stolen is time that the hypervisor took: a clock
	// goes on meanwhile, and the kernel's times do not.
	error, stolen float64
}

func (c comparison) tolerance() float64 { return max(relative*c.other, 3*c.error) }

func (c comparison) agrees() bool {
	tolerance := c.tolerance()
	return c.probe >= c.other-c.stolen-tolerance && c.probe <= c.other+tolerance
}

func (c comparison) String() string {
	return fmt.Sprintf("%-44s probe %12.5g  other %12.5g  %+6.2f %%  allowed ±%.2f %%, stolen %.2f %%",
		c.name, c.probe, c.other, 100*(c.probe/c.other-1), 100*c.tolerance()/c.other, 100*c.stolen/c.other)
}

// tickError is the standard error, in cores, of shares of CPUs that the tick
// sampled for so many seconds. At each of n = seconds·hz ticks a CPU is caught
// at something with the probability p of its share. The number of catches is
// binomial with variance n·p·(1−p) where ticks are independent of each other.
// Stretches longer than a tick make it smaller, as in any systematic sampling;
// only what goes in step with the tick makes it larger, and the burner takes
// random turns to avoid that. A catch counts 1/hz seconds, so the variance of
// the share is p·(1−p)/n; CPUs add.
func tickError(seconds float64, hz int, shares ...float64) float64 {
	var variance float64
	for _, p := range shares {
		p = min(max(p, 0), 1)
		variance += p * (1 - p) / (seconds * float64(hz))
	}
	return math.Sqrt(variance)
}

// machine is what the tracepoints say of all CPUs, in cores.
type machine struct {
	busy, softirq float64
	// sampledSoftirq is the share of ticks that interrupted a softirq.
	sampledSoftirq float64
	// busyError and softirqError are the errors of sampling these by the tick.
	busyError, softirqError float64
}

func (o observation) machine() machine {
	var m machine
	var busy, softirq []float64
	for _, cpu := range o.tallies {
		busy = append(busy, cpu.busy/o.seconds)
		softirq = append(softirq, cpu.softirq/o.seconds)
		m.busy += cpu.busy / o.seconds
		m.softirq += cpu.softirq / o.seconds
		m.sampledSoftirq += cpu.softirqTicks / float64(o.hz) / o.seconds
	}
	m.busyError = tickError(o.seconds, o.hz, busy...)
	m.softirqError = tickError(o.seconds, o.hz, softirq...)
	return m
}

// comparisons lists what must agree.
//
// How the kernel accounts the time of interrupts decides what a figure holds.
// By tick (TICK_CPU_ACCOUNTING), the modes of /proc/stat are samples, so they
// have a sampling error, and a task's runtime, which cgroups and getrusage
// show, is by the clock and has the softirqs in it that interrupted the task.
// Exactly (IRQ_TIME_ACCOUNTING), softirqs are timed and in no task's runtime,
// but what ksoftirqd does of them is sampled still; so the same comparisons
// hold, and the error of the tick is an upper bound.
func (o observation) comparisons() []comparison {
	var all []comparison
	stolen := o.during.Modes.Steal
	for _, role := range []string{"burner", "sender", "receiver"} {
		group, cpu := o.during.Groups[role], o.usage[role].cpu()/o.seconds
		all = append(all,
			comparison{name: role + ", CPU: cgroup", probe: group.Cores, other: o.accounts[role].cpu / o.seconds},
			comparison{name: role + ", CPU: getrusage", probe: group.Cores, other: cpu},
			comparison{
				name: role + ", user and system: getrusage", probe: group.User + group.System, other: cpu,
				error: tickError(o.seconds, o.hz, cpu), stolen: stolen,
			})
	}
	m := o.machine()
	grown := o.during.Groups["hog"].WorkingSet.Mean - o.before.Groups["hog"].WorkingSet.Mean
	return append(all,
		comparison{
			name: "machine, busy: tracepoints, by the clock", probe: o.during.Busy - stolen, other: m.busy,
			error: m.busyError, stolen: stolen,
		},
		o.softirq(m),
		comparison{name: "hog, memory: cgroup", probe: grown, other: o.accounts["hog"].memory},
		comparison{name: "hog, memory: getrusage", probe: grown, other: o.usage["hog"].maxRSS},
		comparison{name: "hog, memory: what it took", probe: grown, other: hogBytes},
	)
}

// softirq compares the time in softirqs with the tracepoints by the clock where
// the tick is a fair sample of that, and otherwise with the state between the
// tracepoints at every tick, which is the kernel's way. The tick is no fair
// sample where a hypervisor delivers the timer's interrupts late at some places
// rather than others: in a nested virtual machine, ticks found a flood's
// softirqs a fifth to a third more often than they were there. No reader of
// /proc/stat can mend that.
func (o observation) softirq(m machine) comparison {
	c := comparison{
		name: "machine, softirq: tracepoints, by the clock", probe: o.during.Modes.SoftIRQ, other: m.softirq,
		error: m.softirqError, stolen: o.during.Modes.Steal,
	}
	sampled := c
	sampled.probe = m.sampledSoftirq
	if o.irqTime == "tick" && !sampled.agrees() {
		c.name, c.other = "machine, softirq: tracepoints, at ticks", m.sampledSoftirq
	}
	return c
}

// withoutSoftirq is the machine's busy time as a published benchmark counted
// it, user and system only, against the tracepoints.
func (o observation) withoutSoftirq() comparison {
	m, modes := o.machine(), o.during.Modes
	return comparison{
		name: "machine, busy without softirq", probe: modes.User + modes.Nice + modes.System, other: m.busy,
		error: m.busyError, stolen: modes.Steal,
	}
}

// The kernel's own figures that the sampler reads are held against figures of
// other origin for the same seconds. Where the machine is starved, an edge of
// the window comes late for one of them; that is different every time, and a
// systematic error is not, so there are three attempts.
func TestE2EAgreesWithOtherAccounts(t *testing.T) {
	length := 15 * time.Second
	if os.Getenv("CNIBENCH_LONG") != "" {
		length = time.Minute
	}
	tracepoints := attach(t)
	for attempt := 1; ; attempt++ {
		s := set(t, fmt.Sprintf("cnibench-truth-%d-%d", os.Getpid(), attempt))
		o, err := observe(t, tracepoints, s, length)
		for _, c := range s.children {
			c.stop()
		}
		if err != nil {
			t.Logf("attempt %d: %v", attempt, err)
		} else if o.judge(t) {
			return
		}
		if attempt == 3 {
			t.Fatal("no attempt of three agrees")
		}
	}
}

// judge prints the comparisons and tells whether all agree.
func (o observation) judge(t *testing.T) bool {
	t.Helper()
	t.Logf("%.1f s, interrupts are accounted by: %s, tick %d Hz; known duty cycle %g", o.seconds, o.irqTime, o.hz, dutyCycle)
	m := o.machine()
	t.Logf("tracepoints: softirqs take %.4f cores by the clock, %.4f at ticks", m.softirq, m.sampledSoftirq)
	good := true
	for _, c := range o.comparisons() {
		verdict := "agrees"
		if !c.agrees() {
			verdict, good = "DIFFERS", false
		}
		t.Log(c, verdict)
	}
	// What leaves softirq out must be found wrong, or the comparison above
	// could not find anything.
	less := o.withoutSoftirq()
	t.Logf("%v: %.1f %% of the busy time is missing", less, 100*(1-less.probe/less.other))
	if less.agrees() {
		t.Log("the flood makes too little softirq to tell")
		good = false
	}
	return good
}

// tickRate is CONFIG_HZ of this kernel, or 100, the least, where its
// configuration is nowhere.
func tickRate() int {
	const least = 100
	var config io.Reader
	if f, err := os.Open("/proc/config.gz"); err == nil {
		defer func() { _ = f.Close() }() // only read from
		if config, err = gzip.NewReader(f); err != nil {
			return least
		}
	} else if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		f, err := os.Open("/boot/config-" + strings.TrimSpace(string(release)))
		if err != nil {
			return least
		}
		defer func() { _ = f.Close() }() // only read from
		config = f
	} else {
		return least
	}
	for lines := bufio.NewScanner(config); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "CONFIG_HZ="); ok {
			if hz, err := strconv.Atoi(text); err == nil {
				return hz
			}
		}
	}
	return least
}
