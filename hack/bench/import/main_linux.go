// Command import measures how long `cnibench import infrabuilder-2024` takes,
// and how much memory, for a tree of the shape and size of the published data,
// beside loading the same series into VictoriaMetrics. The tree is made for it
// and removed again.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cnibench/cnibench/internal/importer/synthetic"
)

var (
	program  = flag.String("cnibench", "bin/cnibench", "the program to measure")
	cpus     = flag.Int("cpus", 32, "CPUs of each machine of the tree; 32 make about 5 GiB")
	runs     = flag.Int("runs", 3, "runs of each variant")
	limit    = flag.String("memory", "400MiB", "GOMEMLIMIT of the import")
	victoria = flag.String("victoria", "victoria-metrics", "VictoriaMetrics, or empty to leave it out")
	onlyTree = flag.String("only-tree", "", "just write the tree to DIR, which must not exist")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop() // the tree is removed whatever happens
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	tree := synthetic.Tree{Variants: synthetic.Variants, Runs: *runs, CPUs: *cpus, Series: true}
	if *onlyTree != "" {
		if err := os.Mkdir(*onlyTree, 0o755); err != nil {
			return err
		}
		return tree.Write(*onlyTree)
	}
	dir, err := os.MkdirTemp("", "cnibench-import-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// A file has 84 samples of 10 modes, of some 150 bytes a line; VictoriaMetrics
	// needs room, too.
	want := int64(len(tree.Variants)*tree.Runs*18) * int64(tree.CPUs) * 84 * 10 * 150
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return err
	}
	if free := int64(fs.Bavail) * fs.Bsize; free < 2*want {
		return fmt.Errorf("%s has %d MiB free, and the tree needs about %d: choose fewer -cpus, or another TMPDIR", dir, free>>20, 2*want>>20)
	}
	if err := tree.Write(filepath.Join(dir, "tree")); err != nil {
		return err
	}
	files, bytes, err := series(filepath.Join(dir, "tree"))
	if err != nil {
		return err
	}
	fmt.Printf("tree: %d files of series, %.2f GiB; %d cores\n", len(files), float64(bytes)/(1<<30), runtime.NumCPU())
	if err := measureImport(ctx, dir, bytes); err != nil {
		return err
	}
	if *victoria == "" {
		return nil
	}
	return measureVictoria(ctx, dir, files, bytes)
}

// series lists the files of series, and their size.
func series(dir string) (files []string, bytes int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".prom") || strings.HasSuffix(path, "results.prom") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, bytes = append(files, path), bytes+info.Size()
		return nil
	})
	return files, bytes, err
}

func measureImport(ctx context.Context, dir string, bytes int64) error {
	cmd := exec.CommandContext(ctx, *program, "import", "infrabuilder-2024", filepath.Join(dir, "tree"), "--out", filepath.Join(dir, "results"))
	cmd.Env = append(os.Environ(), "GOMEMLIMIT="+*limit)
	cmd.Stderr = os.Stderr
	if err := measure("cnibench import", cmd, bytes); err != nil {
		return err
	}
	report := exec.CommandContext(ctx, *program, "report", filepath.Join(dir, "results"), "--format", "json")
	report.Stderr = os.Stderr
	return measure("cnibench report", report, bytes)
}

// measure runs a program and prints its time and memory, as getrusage has them.
func measure(name string, cmd *exec.Cmd, bytes int64) error {
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	took := time.Since(start)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("%s: the system does not say what it used", name)
	}
	fmt.Printf("%s: %.1f s (%.0f MiB/s), CPU %.1f s, at most %d MiB resident\n", name, took.Seconds(),
		float64(bytes)/(1<<20)/took.Seconds(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), usage.Maxrss>>10)
	return nil
}
