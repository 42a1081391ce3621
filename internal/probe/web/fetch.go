package web

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// FetchSpec says which servers must answer.
type FetchSpec struct {
	Targets []string `json:"targets"` // HOST:PORT
	// Host is the header of that name; empty: the target.
	Host string `json:"host,omitempty"`
	// Timeout for all of them together.
	Timeout time.Duration `json:"timeoutNs"`
}

// Fetched is what became of it.
type Fetched struct {
	Reached int `json:"reached"` // targets that answered with status 200
	// Missing says why others did not, by target.
	Missing map[string]string `json:"missing,omitempty"`
}

const (
	fetchers     = 32                    // at once
	fetchTimeout = time.Second           // of one attempt
	fetchPause   = 20 * time.Millisecond // between attempts
)

// Fetch asks every target again and again until it has answered once, with a
// connection for each attempt.
func Fetch(ctx context.Context, spec FetchSpec) (Fetched, error) {
	if len(spec.Targets) == 0 || spec.Timeout <= 0 {
		return Fetched{}, errors.New("there is nothing to fetch: targets and a positive timeoutNs are needed")
	}
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout)
	defer cancel()
	result := Fetched{Missing: map[string]string{}}
	queue := make(chan string)
	var mutex sync.Mutex
	var all sync.WaitGroup
	for range min(fetchers, len(spec.Targets)) {
		all.Go(func() {
			for target := range queue {
				err := persist(ctx, target, cmp.Or(spec.Host, target))
				mutex.Lock()
				if err == nil {
					result.Reached++
				} else {
					result.Missing[target] = err.Error()
				}
				mutex.Unlock()
			}
		})
	}
	for _, target := range spec.Targets {
		queue <- target
	}
	close(queue)
	all.Wait()
	return result, nil
}

// persist tries until the target answers or ctx ends.
func persist(ctx context.Context, target, host string) error {
	for {
		err := get(ctx, target, host)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(fetchPause):
		}
	}
}

// get sends one request and reads its answer to the end.
func get(ctx context.Context, target, host string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", target)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // all was read
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\nUser-Agent: cnibench-probe\r\nConnection: close\r\n\r\n", host); err != nil {
		return err
	}
	reader := bufio.NewReader(conn)
	status, err := reader.ReadString('\n')
	if err != nil {
		return fmt.Errorf("reading its answer: %w", err)
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		return fmt.Errorf("it answers %q", strings.TrimSpace(status))
	}
	_, err = io.Copy(io.Discard, reader)
	return err
}
