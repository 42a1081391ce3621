package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// measureVictoria loads the files as the source's own scripts do, two at a
// time.
func measureVictoria(ctx context.Context, dir string, files []string, bytes int64) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(dir, "victoria.log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.CommandContext(ctx, *victoria, "-httpListenAddr="+address, "-storageDataPath="+filepath.Join(dir, "victoria"), "-retentionPeriod=100y")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		fmt.Printf("VictoriaMetrics: left out: %v\n", err)
		return nil
	}
	err = waitFor("http://" + address + "/health")
	start := time.Now()
	if err == nil {
		err = load(ctx, "http://"+address+"/api/v1/import/prometheus", files)
	}
	took := time.Since(start)
	stop := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait())
	if err = errors.Join(err, stop); err != nil {
		return fmt.Errorf("VictoriaMetrics: %w", err)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("VictoriaMetrics: the system does not say what it used")
	}
	fmt.Printf("VictoriaMetrics: %.1f s to load the series (%.0f MiB/s), CPU %.1f s, at most %d MiB resident\n", took.Seconds(),
		float64(bytes)/(1<<20)/took.Seconds(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), usage.Maxrss>>10)
	return nil
}

func waitFor(url string) error {
	var last error
	for range 300 {
		r, err := http.Get(url)
		if err == nil {
			_ = r.Body.Close() // it is empty
			return nil
		}
		last = err
		time.Sleep(100 * time.Millisecond)
	}
	return last
}

func load(ctx context.Context, url string, files []string) error {
	queue := make(chan string)
	errs := make(chan error, 2)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for file := range queue {
				if err := post(ctx, url, file); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for _, file := range files {
		queue <- file
	}
	close(queue)
	group.Wait()
	close(errs)
	return <-errs
}

func post(ctx context.Context, url, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read from
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, f)
	if err != nil {
		return err
	}
	r, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }() // only read from
	if r.StatusCode >= 300 {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 500)) // for the message only
		return fmt.Errorf("%s: %s: %s", file, r.Status, body)
	}
	return nil
}
