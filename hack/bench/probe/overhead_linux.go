package main

import (
	"context"
	"encoding/json"
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
// favours neither.
func overhead(ctx context.Context, b *bench) error {
	file := filepath.Join(b.dir, "pairs.csv")
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
			p, err := link.pair(ctx, b.probe, groups)
			if err != nil {
				return err
			}
			pairs = append(pairs, p)
			if err := appendPair(file, p); err != nil {
				return err
			}
			if len(pairs)%20 == 0 {
				fmt.Fprintf(os.Stderr, "   %d of %d pairs\n", len(pairs), until)
			}
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

func (w *wire) pair(ctx context.Context, program string, groups map[string][]string) (p pair, err error) {
	trials := []func() error{
		func() error {
			p.on, err = w.trial(ctx, program, groups, true)
			return err
		},
		func() error {
			p.off, err = w.trial(ctx, program, groups, false)
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

// trial starts the probe in any case, so that both trials begin alike, and ends
// it before or after the load.
func (w *wire) trial(ctx context.Context, program string, groups map[string][]string, on bool) (rate float64, err error) {
	s, err := startSampler(ctx, program, groups)
	if err != nil {
		return 0, err
	}
	defer end(s.cmd, os.Kill)
	if on {
		if rate, err = w.throughput(ctx); err != nil {
			return 0, err
		}
	}
	if _, _, err = s.stop(); err != nil || on {
		return rate, err
	}
	return w.throughput(ctx)
}

// throughput is what arrives in two seconds.
func (w *wire) throughput(ctx context.Context) (float64, error) {
	out, err := exec.CommandContext(ctx, "ip", "netns", "exec", w.left, "iperf3", "-c", rightAddress, "-t", "2", "-J").Output()
	if err != nil {
		return 0, fmt.Errorf("iperf3: %w: %s", err, out)
	}
	var report struct {
		End struct {
			Received struct {
				Rate float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return 0, err
	}
	if report.End.Received.Rate <= 0 {
		return 0, errors.New("iperf3 received nothing")
	}
	return report.End.Received.Rate, nil
}

func appendPair(file string, p pair) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%.0f,%.0f\n", p.on, p.off)
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
