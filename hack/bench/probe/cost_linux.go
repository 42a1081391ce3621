package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

const (
	exporter        = "prometheus-node-exporter"
	cgroupRoot      = "/sys/fs/cgroup"
	exporterAddress = "127.0.0.1:19100"
	nodes           = 3
)

// cost runs three probes, as on three nodes, cnibench record and Debian's node
// exporter side by side, and then fetches what the probes saw.
func cost(ctx context.Context, b *bench) error {
	groups, remove, err := makeGroups(cgroupRoot)
	if err != nil {
		return err
	}
	defer remove()
	var samplers []*sampler
	var all []*watched
	for i := range nodes {
		s, err := startSampler(ctx, b.probe, groups)
		if err != nil {
			return err
		}
		defer end(s.cmd, os.Kill)
		w, err := watch(fmt.Sprintf("probe %d, everything on (goal 0.3 %%, 16 MiB)", i+1), s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		samplers, all = append(samplers, s), append(all, w)
	}
	served := exec.Command(exporter, "--web.listen-address="+exporterAddress, "--log.level=error")
	defer end(served, os.Kill)
	w, err := startExporter(ctx, served)
	if err != nil {
		return err
	}
	all = append(all, w)
	recorded := recordCommand(b)
	defer end(recorded, os.Interrupt)
	w, err = startRecord(ctx, recorded)
	if err != nil {
		b.printf("   recording with statexec's set: not measured: %v\n", err)
	} else {
		all = append(all, w)
	}
	if err := scrape(ctx, b.length); err != nil {
		return err
	}
	for _, w := range all {
		s, err := w.spent()
		if err != nil {
			return err
		}
		b.printf("   %-58s %6.3f %% of a core  %5.1f MiB\n", w.name, 100*s.share, s.peak/(1<<20))
	}
	return fetch(b, samplers)
}

// end ends a process that may have ended by itself, and waits for it.
func end(cmd *exec.Cmd, by os.Signal) {
	if cmd.Process == nil {
		return
	}
	_ = cmd.Process.Signal(by) // has perhaps ended
	_ = cmd.Wait()             // interrupted or killed
}

func startExporter(ctx context.Context, cmd *exec.Cmd) (*watched, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if err := get(ctx); err == nil {
			return watch(exporter+", scraped once a second", cmd.Process.Pid)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, errors.New(exporter + " does not answer")
}

// recordCommand records a command that does nothing for longer than is
// measured.
func recordCommand(b *bench) *exec.Cmd {
	seconds := strconv.Itoa(int(b.length.Seconds()) + 60)
	return exec.Command(b.cnibench, "record", "--every", "1s", "--before", "0s", "--after", "0s", "--quiet",
		"--format", "statexec", "--out", filepath.Join(b.dir, "record.om"), "--", "sleep", seconds)
}

// startRecord returns when the process has become the probe, under the same
// number.
func startRecord(ctx context.Context, cmd *exec.Cmd) (*watched, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid)); err != nil || len(line) == 0 {
			err := cmd.Wait()
			return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.Bytes()))
		} else if bytes.Contains(line, []byte("cnibench-probe")) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return watch("recording with statexec's set (goal 0.1 %, 11 MiB)", cmd.Process.Pid)
}

// scrape asks the exporter once a second for the given time.
func scrape(ctx context.Context, length time.Duration) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for end := time.Now().Add(length); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := get(ctx); err != nil {
			return err
		}
	}
	return nil
}

func get(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+exporterAddress+"/metrics", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

// fetch ends the probes at once, as a trial does, times until all they saw is
// here and checked, and compresses it as a trial does.
func fetch(b *bench, samplers []*sampler) error {
	start := time.Now()
	type answer struct {
		series sample.Series
		bytes  int
		err    error
	}
	answers := make(chan answer)
	for _, s := range samplers {
		go func() {
			series, n, err := s.stop()
			answers <- answer{series, n, err}
		}()
	}
	var all []answer
	for range samplers {
		a := <-answers
		if a.err != nil {
			return a.err
		}
		all = append(all, a)
	}
	took := time.Since(start)
	for i, a := range all {
		families, err := openmetrics.Families(a.series, map[string]string{"node": fmt.Sprint("node", i+1)})
		if err != nil {
			return err
		}
		var compressed bytes.Buffer
		w, err := zstd.NewWriter(&compressed)
		if err != nil {
			return err
		}
		if err := errors.Join(openmetrics.Write(w, families), w.Close()); err != nil {
			return err
		}
		b.printf("   series of node %d: %d samples, %d groups: %d KiB as sent, %d KiB compressed OpenMetrics (goal 1024)\n",
			i+1, len(a.series.Samples), groupCount, a.bytes>>10, compressed.Len()>>10)
	}
	b.printf("   fetched from %d probes at once, checked and decoded, in %.3f s (goal 1 s)\n", nodes, took.Seconds())
	return nil
}
