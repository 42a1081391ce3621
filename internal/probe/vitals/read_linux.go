package vitals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/probe/facts"
	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// Read looks at the machine and at the network namespace that it runs in. What
// needs a privilege that it lacks is missing.
func Read(ctx context.Context, spec Spec) Report {
	root := os.DirFS("/")
	r := Report{BootID: kernel.BootID(), Missing: map[string]string{}}
	if spec.ClockOnly {
		r.At = time.Now().UTC()
		return r
	}
	note := func(part string, err error) {
		if err != nil {
			r.Missing[part] = err.Error()
		}
	}
	var err error
	note(PartLink, r.readLink(spec))
	r.Clock, err = readClock()
	note(PartClock, err)
	r.Conntrack, err = ReadConntrack(root)
	note(PartConntrack, err)
	r.Complaints, err = readLog()
	note(PartLog, err)
	r.Disks, err = ReadDisks(root)
	note(PartDisks, err)
	r.Rules, err = readRules(ctx)
	note(PartRules, err)
	var up unix.Sysinfo_t
	if unix.Sysinfo(&up) == nil {
		r.Uptime = time.Duration(up.Uptime) * time.Second
	}
	r.At = time.Now().UTC() // last: the caller compares it with the moment of the answer
	return r
}

// readLink finds the link with the address and what it has counted.
func (r *Report) readLink(spec Spec) error {
	links, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, l := range links {
		addresses, _ := l.Addrs() // a link that is going has none
		for _, a := range addresses {
			ip, network, err := net.ParseCIDR(a.String())
			if err != nil || !ip.Equal(net.ParseIP(spec.Address)) {
				continue
			}
			r.Link, r.Network = l.Name, network.String()
			return r.readCounters()
		}
	}
	return fmt.Errorf("no interface has the address %q", spec.Address)
}

func (r *Report) readCounters() (err error) {
	if r.Packets, r.Errors, err = ReadCounters(os.DirFS("/"), r.Link); err != nil {
		return err
	}
	driver, err := facts.Statistics(r.Link)
	if err != nil {
		return nil // most virtual links have none; the kernel's own are there
	}
	maps.DeleteFunc(driver, func(name string, n uint64) bool { return n == 0 || !IsErrorCounter(name) })
	maps.Copy(r.Errors, driver)
	return nil
}

func readClock() (*Clock, error) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t) // modes 0: it only asks
	if err != nil {
		return nil, err
	}
	const unsynchronized = 0x40 // STA_UNSYNC of linux/timex.h
	return &Clock{
		Synchronized: t.Status&unsynchronized == 0 && state != unix.TIME_ERROR,
		MaxError:     time.Duration(t.Maxerror) * time.Microsecond,
	}, nil
}

// readLog reads the kernel's log without waiting for more.
func readLog() ([]Complaint, error) {
	const sizeBuffer = 10 // SYSLOG_ACTION_SIZE_BUFFER
	size, err := unix.Klogctl(sizeBuffer, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the kernel's log: %w", err)
	}
	buffer := make([]byte, size)
	n, err := unix.Klogctl(unix.SYSLOG_ACTION_READ_ALL, buffer)
	if err != nil {
		return nil, fmt.Errorf("reading the kernel's log: %w", err)
	}
	return FindComplaints(string(buffer[:n])), nil
}

// rulesTimeout bounds the counting: a node may have 100,000 rules.
const rulesTimeout = 15 * time.Second

// readRules counts the rules of both kinds of iptables. The older kind is asked
// only where its tables are there, because asking would make them.
func readRules(ctx context.Context) (map[string]int, error) {
	ctx, cancel := context.WithTimeout(ctx, rulesTimeout)
	defer cancel()
	programs := []string{"iptables-nft-save"}
	if _, err := os.Stat("/proc/net/ip_tables_names"); err == nil {
		programs = append(programs, "iptables-legacy-save")
	}
	counts := map[string]int{}
	for _, name := range programs {
		some, err := rulesOf(ctx, name)
		if err != nil {
			return nil, err
		}
		for owner, n := range some {
			counts[owner] += n
		}
	}
	return counts, nil
}

func rulesOf(ctx context.Context, program string) (map[string]int, error) {
	cmd := exec.CommandContext(ctx, program)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	counts, err := CountRules(out)
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return counts, nil
}
