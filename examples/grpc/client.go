package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// client calls at a fixed rate, whether or not earlier calls are answered: an
// open loop. A latency counts from when a call was due, so that a client or a
// server that was busy cannot hide it.
type client struct {
	address                 string
	duration, omit          time.Duration
	rate, connections, size int
}

// report is what the scenario file finds its figures in.
type report struct {
	GRPC    string  `json:"grpc"`
	Began   float64 `json:"began"` // Unix seconds
	Ended   float64 `json:"ended"`
	Calls   int     `json:"calls"`
	Failed  int     `json:"failed"`
	Rate    float64 `json:"rate"` // of answered calls, per second
	Latency struct {
		P50 float64 `json:"p50"` // milliseconds
		P99 float64 `json:"p99"`
	} `json:"latency"`
}

type call struct {
	latency time.Duration
	err     error
}

func (c client) run(out io.Writer) error {
	if c.duration <= 0 || c.rate <= 0 || c.connections <= 0 {
		return fmt.Errorf("-duration, -rate and -connections must be above zero")
	}
	connections, err := c.connect()
	if err != nil {
		return err
	}
	every := time.Second / time.Duration(c.rate)
	start := time.Now()
	began := start.Add(c.omit)
	request := wrapperspb.Bytes(make([]byte, c.size))
	calls := make([]call, int((c.omit+c.duration)/every))
	var answers sync.WaitGroup
	for i := range calls {
		due := start.Add(time.Duration(i) * every)
		time.Sleep(time.Until(due))
		answers.Add(1)
		go func() {
			defer answers.Done()
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			err := connections[i%len(connections)].Invoke(ctx, method, request, &wrapperspb.BytesValue{})
			calls[i] = call{time.Since(due), err}
		}()
	}
	time.Sleep(time.Until(began.Add(c.duration)))
	ended := time.Now()
	answers.Wait()
	return c.print(out, calls[int(c.omit/every):], began, ended)
}

// connect makes the connections and a first call on each.
func (c client) connect() ([]*grpc.ClientConn, error) {
	connections := make([]*grpc.ClientConn, c.connections)
	for i := range connections {
		conn, err := grpc.NewClient("passthrough:///"+c.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err = conn.Invoke(ctx, method, wrapperspb.Bytes(nil), &wrapperspb.BytesValue{}, grpc.WaitForReady(true))
		cancel()
		if err != nil {
			return nil, err
		}
		connections[i] = conn
	}
	return connections, nil
}

func (c client) print(out io.Writer, calls []call, began, ended time.Time) error {
	var answered []time.Duration
	var failure error
	for _, c := range calls {
		if c.err != nil {
			failure = c.err
			continue
		}
		answered = append(answered, c.latency)
	}
	if len(answered) == 0 {
		return fmt.Errorf("no call was answered: %w", failure)
	}
	slices.Sort(answered)
	milliseconds := func(p float64) float64 {
		return answered[int(p*float64(len(answered)-1))].Seconds() * 1000
	}
	r := report{
		GRPC: grpc.Version, Began: float64(began.UnixMicro()) / 1e6, Ended: float64(ended.UnixMicro()) / 1e6,
		Calls: len(calls), Failed: len(calls) - len(answered), Rate: float64(len(answered)) / c.duration.Seconds(),
	}
	r.Latency.P50, r.Latency.P99 = milliseconds(0.5), milliseconds(0.99)
	return json.NewEncoder(out).Encode(r)
}
