//go:build e2e

package truth

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

const (
	dutyCycle = 0.3
	hogBytes  = 1 << 30 // against some MiB that programs have anyhow
)

// scene is what is observed: a burner with a CPU of its own as far as the test
// is concerned, a flood of datagrams on another, and a memory hog.
type scene struct {
	groups   cgroups
	children map[string]*child // burner, sender, hog; and the receiver
}

// observation is what the sampler and the others saw of the same seconds.
type observation struct {
	before, during sample.Summary // the children idle; at work
	irqTime        string
	hz             int
	seconds        float64          // of during
	usage          map[string]usage // growth during, by child; maxRSS since the beginning
	accounts       map[string]account
	tallies        []tally // growth during, by CPU
}

// set starts the children. Sender and receiver share a CPU and are joined by a
// veth between network namespaces of their own, which go with them.
func set(t *testing.T, name string) scene {
	t.Helper()
	first, last := ownCPUs(t)
	s := scene{groups: newCgroups(t, name), children: map[string]*child{}}
	const source, sink = "198.18.77.1", "198.18.77.2"
	s.children["burner"] = start(t, s.groups, "burner", strconv.FormatFloat(dutyCycle, 'f', -1, 64), first, false)
	s.children["hog"] = start(t, s.groups, "hog", strconv.Itoa(hogBytes), first, false)
	s.children["receiver"] = start(t, s.groups, "receiver", sink, last, true)
	s.children["sender"] = start(t, s.groups, "sender", sink, last, true)
	from, to := strconv.Itoa(s.children["sender"].cmd.Process.Pid), strconv.Itoa(s.children["receiver"].cmd.Process.Pid)
	run(t, "ip", "link", "add", "flood", "netns", from, "type", "veth", "peer", "name", "flood", "netns", to)
	for pid, address := range map[string]string{from: source, to: sink} {
		inside := []string{"-t", pid, "-n", "ip"}
		run(t, "nsenter", append(inside, "addr", "add", address+"/30", "dev", "flood")...)
		run(t, "nsenter", append(inside, "link", "set", "flood", "up")...)
	}
	return s
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, bytes.TrimSpace(out))
	}
}

// ownCPUs returns the first and the last CPU that this process may use.
func ownCPUs(t *testing.T) (first, last int) {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	first = -1
	for cpu := range 1024 {
		if set.IsSet(cpu) {
			last = cpu
			if first < 0 {
				first = cpu
			}
		}
	}
	return first, last
}

// observe samples the scene once a second, at first before it begins and then,
// when it is under way, for the given time. The others are asked right after
// the first and the last sample of that.
func observe(t *testing.T, a *accounts, s scene, length time.Duration) (observation, error) {
	t.Helper()
	groups := map[string][]string{}
	for role, c := range s.children {
		groups[role] = []string{c.cgroup}
	}
	sampler, err := sample.New(sample.Spec{Interval: time.Second, Groups: groups})
	if err != nil {
		t.Fatal(err)
	}
	defer sampler.Close()
	var series sample.Series
	take := func(wait time.Duration) int {
		time.Sleep(wait)
		one, err := sampler.Sample()
		if err != nil {
			t.Fatal(err)
		}
		series.Samples = append(series.Samples, one)
		return len(series.Samples) - 1
	}
	take(0)
	idle := take(time.Second)
	began := map[string]usage{}
	for _, role := range []string{"receiver", "sender", "burner", "hog"} {
		began[role] = s.children[role].usage()
	}
	for deadline := time.Now().Add(time.Minute); s.children["hog"].usage().maxRSS < hogBytes; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			return observation{}, errors.New("the hog is still at it after a minute")
		}
	}
	first := take(2 * time.Second)
	then := s.ask(t, a)
	for range int(length/time.Second) - 1 {
		take(time.Second)
	}
	last := take(time.Second)
	now := s.ask(t, a)
	o := now.since(then)
	for role, u := range now.usage {
		grown := o.usage[role]
		grown.maxRSS = u.maxRSS - began[role].resident
		o.usage[role] = grown
	}
	o.irqTime, o.hz = sample.IRQTime("/proc"), tickRate()
	at := func(i int) time.Time { return series.Samples[i].At }
	if o.before, err = sample.Summarize(series, at(0), at(idle)); err != nil {
		return o, fmt.Errorf("before: %w", err)
	}
	o.during, err = sample.Summarize(series, at(first), at(last))
	o.seconds = at(last).Sub(at(first)).Seconds()
	return o, err
}

// ask asks everybody but the sampler.
func (s scene) ask(t *testing.T, a *accounts) observation {
	t.Helper()
	o := observation{usage: map[string]usage{}, accounts: map[string]account{}}
	var err error
	if o.tallies, err = a.read(); err != nil {
		t.Fatal(err)
	}
	for role, c := range s.children {
		o.usage[role] = c.usage()
		if o.accounts[role], err = s.groups.read(c.cgroup); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// since returns the growth of counters between two times of asking. The memory
// of a cgroup is no counter and stays.
func (o observation) since(then observation) observation {
	for role, u := range o.usage {
		u.user -= then.usage[role].user
		u.system -= then.usage[role].system
		o.usage[role] = u
		a := o.accounts[role]
		a.cpu -= then.accounts[role].cpu
		o.accounts[role] = a
	}
	for cpu := range o.tallies {
		o.tallies[cpu].busy -= then.tallies[cpu].busy
		o.tallies[cpu].softirq -= then.tallies[cpu].softirq
		o.tallies[cpu].softirqTicks -= then.tallies[cpu].softirqTicks
	}
	return o
}
