package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/stats"
)

// pair is a trial with the probe on and one with it off, in bit/s.
type pair struct{ on, off float64 }

func differences(pairs []pair) []float64 {
	d := make([]float64, len(pairs))
	for i, p := range pairs {
		d[i] = math.Log(p.on / p.off)
	}
	return d
}

// overhead compares TCP throughput over a veth between two network namespaces
// with the probe on and off. The order within a pair is random, so that drift
// favours neither. One stream serves many pairs, and its ends are kept on one
// CPU each: where the scheduler puts them differs from stream to stream, and
// moves throughput more than any probe.
func overhead(ctx context.Context, b *bench) error {
	file := filepath.Join(b.dir, "stream-pairs.csv")
	pairs, err := readPairs(file)
	if err != nil {
		return err
	}
	link, err := plugIn(ctx)
	if err != nil {
		return err
	}
	defer link.unplug()
	groups, remove, err := makeGroups(cgroupRoot)
	if err != nil {
		return err
	}
	defer remove()
	measure := func(until int) error {
		for len(pairs) < until {
			some, err := link.pairs(ctx, b.probe, groups, min(streamPairs, until-len(pairs)))
			if err != nil {
				return err
			}
			pairs = append(pairs, some...)
			if err := appendPairs(file, some); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "   %d of %d pairs\n", len(pairs), until)
		}
		return nil
	}
	if err := measure(pilotPairs); err != nil {
		return err
	}
	// The plan looks at the spread of the first pairs alone, never at their
	// difference, so that they may count as well.
	pilot, err := stats.PairedShift(differences(pairs[:pilotPairs]), 0.95)
	if err != nil {
		return err
	}
	p := planPairs(pilot.Spread, b.maxPairs)
	b.printf("   sd of a pair %.2f %%: ±%g %% needs %d pairs for a power of 0.8, %d are measured\n",
		100*pilot.Spread, 100*p.margin, p.planned, p.pairs)
	if err := measure(p.pairs); err != nil {
		return err
	}
	verdict, err := judge(differences(pairs), p.margin)
	if err != nil {
		return err
	}
	b.printf("   %s\n", verdict)
	return nil
}

// wire is two namespaces and a server of iperf3 in one of them.
type wire struct {
	left, right string
	server      *exec.Cmd
}

const rightAddress = "198.18.78.2"

func plugIn(ctx context.Context) (*wire, error) {
	id := strconv.Itoa(os.Getpid())
	w := &wire{left: "cnibench-bench-left-" + id, right: "cnibench-bench-right-" + id}
	for _, line := range []string{
		"netns add " + w.left,
		"netns add " + w.right,
		"-n " + w.left + " link add wire type veth peer name wire netns " + w.right,
		"-n " + w.left + " addr add 198.18.78.1/30 dev wire",
		"-n " + w.right + " addr add " + rightAddress + "/30 dev wire",
		"-n " + w.left + " link set wire up",
		"-n " + w.right + " link set wire up",
	} {
		if out, err := exec.CommandContext(ctx, "ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			w.unplug()
			return nil, fmt.Errorf("ip %s: %w: %s", line, err, out)
		}
	}
	w.server = exec.Command("ip", "netns", "exec", w.right, "iperf3", "-s")
	if err := w.server.Start(); err != nil {
		w.unplug()
		return nil, err
	}
	time.Sleep(time.Second)
	return w, nil
}

func (w *wire) unplug() {
	if w.server != nil {
		_ = w.server.Process.Kill() // ip has become iperf3
		_ = w.server.Wait()         // killed
	}
	for _, name := range []string{w.left, w.right} {
		_ = exec.Command("ip", "netns", "del", name).Run() // may not be there
	}
}

// streamPairs is how many pairs one stream serves.
const streamPairs = 20

// pairs measures n pairs on one stream, with one probe.
func (w *wire) pairs(ctx context.Context, program string, groups map[string][]string, n int) (pairs []pair, err error) {
	stream := exec.CommandContext(ctx, "ip", "netns", "exec", w.left, "iperf3", "-c", rightAddress, "-t", "3600", "-A", "0,1")
	if err := stream.Start(); err != nil {
		return nil, err
	}
	defer end(stream, os.Kill)
	s, err := startSampler(ctx, program, groups)
	if err != nil {
		return nil, err
	}
	defer end(s.cmd, os.Kill)
	if err := pause(ctx, warmUp); err != nil {
		return nil, err
	}
	for range n {
		p, err := w.pair(ctx, s)
		if err != nil {
			return pairs, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// pair measures the stream for two seconds with the probe on and for two with
// it off, in random order. The probe is the same one all along; the kernel
// stops it and lets it go on, which it notices by a sample that is late.
func (w *wire) pair(ctx context.Context, s *sampler) (p pair, err error) {
	trials := []func() error{
		func() error {
			p.on, err = w.trial(ctx, s, unix.SIGCONT)
			return err
		},
		func() error {
			p.off, err = w.trial(ctx, s, unix.SIGSTOP)
			return err
		},
	}
	rand.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
	for _, trial := range trials {
		if err := trial(); err != nil {
			return pair{}, err
		}
	}
	return p, nil
}

const (
	trialLength = 2 * time.Second
	warmUp      = 2 * time.Second        // of a stream
	settling    = 100 * time.Millisecond // after the probe was stopped or let go on
)

// trial is the rate at which the stream arrives, in bit/s.
func (w *wire) trial(ctx context.Context, s *sampler, state unix.Signal) (float64, error) {
	if err := s.cmd.Process.Signal(state); err != nil {
		return 0, err
	}
	if err := pause(ctx, settling); err != nil {
		return 0, err
	}
	began := time.Now()
	before, err := w.arrived()
	if err != nil {
		return 0, err
	}
	if err := pause(ctx, trialLength); err != nil {
		return 0, err
	}
	after, err := w.arrived()
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	if after <= before {
		return 0, errors.New("nothing arrived")
	}
	return 8 * float64(after-before) / took.Seconds(), nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// arrived is how many bytes the right end received so far.
func (w *wire) arrived() (uint64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/dev", w.server.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if counters, is := strings.CutPrefix(strings.TrimSpace(line), "wire:"); is {
			return strconv.ParseUint(strings.Fields(counters)[0], 10, 64)
		}
	}
	return 0, errors.New("the wire is gone")
}

func appendPairs(file string, pairs []pair) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if _, err = fmt.Fprintf(f, "%.0f,%.0f\n", p.on, p.off); err != nil {
			break
		}
	}
	return errors.Join(err, f.Close())
}

func readPairs(file string) ([]pair, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for line := range strings.Lines(string(data)) {
		var p pair
		if _, err := fmt.Sscanf(line, "%g,%g", &p.on, &p.off); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}
