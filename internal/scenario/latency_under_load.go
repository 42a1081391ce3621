package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

var (
	backgroundLoad = parameter.Parameter{
		Name: "load", Kind: parameter.Text, Default: []string{"0", "0.5", "0.8"},
		Word: "a fraction from 0 to 1 or a rate such as 500Mbit",
		Help: "bulk load in the background: a fraction of what this variant can carry, measured just before, such as 0.5, or a rate such as 500Mbit",
	}
	backgroundStreams = parameter.Parameter{
		Name: "load-streams", Kind: parameter.Integer, Default: []string{"2"}, Min: "1", Max: "128", Help: "TCP connections of the bulk load",
	}
	capacityTime = parameter.Parameter{
		Name: "capacity-time", Kind: parameter.Duration, Default: []string{"3s"}, Min: "1s", Max: "1m", Step: "1s",
		Help: "how long the capacity is measured for a fraction of it, after a second that is not counted",
	}
)

var (
	capacity = result.Metric{Name: "capacity", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.05,
		Help: "payload of bulk load without a limit, just before; the load is a fraction of it"}
	loadCarried = result.Metric{Name: "load-throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.05,
		Help: "payload of the bulk load that was carried beside the requests"}
)

// Times of the bulk load, in the whole seconds that iperf3 knows.
const (
	capacityOmit = time.Second
	// loadLead is how much earlier than the requests the load begins to count,
	// and how much longer it runs at least, since nobody starts at once.
	loadLead = time.Second
)

func init() {
	register(Scenario{
		Name:  "latency-under-load",
		Title: "latency of requests while bulk load runs",
		Description: "Paced requests as in tcp-rr, between the same two ends as TCP bulk load by iperf3. The load has a fixed rate, or is a fraction of what this very variant carries, " +
			"which a burst without limit measures first, in the same trial: at the same fraction, variants of different speed are equally filled. " +
			"With load 0 there is none, and the figures are the baseline of the others. Fractions above what the load really reached are marked load-not-reached. " + rrDescription,
		Metrics: append(rrMetrics[:len(rrMetrics):len(rrMetrics)], loadCarried, capacity),
		Parameters: append([]parameter.Parameter{backgroundLoad, backgroundStreams, capacityTime},
			rrParameters(requestRate.With("1500"), omit.With("2s"))...),
		Expected: expectedUnderLoad,
		Misfit:   backgroundMisfit,
		Run:      measureUnderLoad,
	})
}

func expectedUnderLoad(v parameter.Values) time.Duration {
	took := v.Duration(omit.Name) + v.Duration(duration.Name)
	l, err := parseBackground(v.Text(backgroundLoad.Name))
	if err == nil && l.any() {
		took += loadLead
	}
	if err == nil && l.fraction > 0 {
		took += capacityOmit + v.Duration(capacityTime.Name)
	}
	return took
}

func backgroundMisfit(v parameter.Values) (problem, remedy string) {
	if _, err := parseBackground(v.Text(backgroundLoad.Name)); err != nil {
		return err.Error(), "give a fraction of the capacity from 0 to 1, or a rate from 1Mbit on, such as 500Mbit"
	}
	return "", ""
}

// background is how much bulk load runs beside requests: a fraction of the
// capacity or a rate in bit/s. Both are 0 for none.
type background struct{ fraction, rate float64 }

func (l background) any() bool { return l.fraction > 0 || l.rate > 0 }

func parseBackground(text string) (background, error) {
	if fraction, err := strconv.ParseFloat(text, 64); err == nil && fraction >= 0 && fraction <= 1 && !strings.ContainsAny(text, "eExX") {
		return background{fraction: fraction}, nil
	}
	rate := parameter.Parameter{Kind: parameter.Rate, Min: "1Mbit"}
	canonical, err := rate.Parse(text)
	if err != nil {
		return background{}, fmt.Errorf("load %s is neither a fraction of the capacity nor a rate", text)
	}
	return background{rate: parameter.Values{"rate": canonical}.Rate("rate")}, nil
}

func measureUnderLoad(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	asked, err := parseBackground(v.Text(backgroundLoad.Name))
	if err != nil {
		return stage.Measurement{}, err
	}
	requests := rrOf(pace.TCPRR, v)
	if !asked.any() {
		ran, err := runRR(ctx, b, requests, nil)
		if err != nil {
			return stage.Measurement{}, err
		}
		return evaluateRR(b, ran)
	}
	with, err := placeBeside(ctx, b, asked, requests, v)
	if err != nil {
		return stage.Measurement{}, err
	}
	return requestBeside(ctx, b, requests, with)
}

// placeBeside brings the bulk load's ends into place and finds its rate.
func placeBeside(ctx context.Context, b *stage.Bench, asked background, requests rrLoad, v parameter.Values) (beside, error) {
	with := beside{streams: v.Integer(backgroundStreams.Name), rate: asked.rate}
	var err error
	if with.pair, err = b.Stage.Pair(ctx, requests.ends); err != nil {
		return with, err
	}
	if with.address, err = b.Stage.Address(ctx, with.pair, requests.path, with.bulk().ports()); err != nil {
		return with, err
	}
	if asked.fraction > 0 {
		if with.capacity, err = measureCapacity(ctx, b, with, v.Duration(capacityTime.Name)); err != nil {
			return with, err
		}
		with.rate = asked.fraction * with.capacity
	}
	return with, nil
}

// beside is the bulk load that runs beside requests.
type beside struct {
	pair     stage.Pair
	address  stage.Address
	streams  int
	rate     float64 // bit/s
	capacity float64 // bit/s, 0 if it was not measured
}

// bulk is the load, but for its times.
func (l beside) bulk() bulk {
	return bulk{ends: l.pair.Ends, streams: l.streams, direction: "forward", rate: l.rate}
}

// measureCapacity is what the bulk load carries without a limit, in bit/s.
func measureCapacity(ctx context.Context, b *stage.Bench, with beside, d time.Duration) (float64, error) {
	burst := with.bulk()
	burst.series, burst.duration, burst.omit, burst.rate = "capacity-", d, capacityOmit, 0
	carried, err := carryBulk(ctx, b, with, burst)
	if err != nil {
		return 0, fmt.Errorf("measuring the capacity: %w", err)
	}
	return carried.BitsPerSecond, nil
}

// carryBulk runs bulk load, unsampled.
func carryBulk(ctx context.Context, b *stage.Bench, with beside, l bulk) (load.Iperf3Throughput, error) {
	ran, err := runIperf3(ctx, b, stage.PodEnd(b.Cluster, with.pair.Client), stage.PodEnd(b.Cluster, with.pair.Server), with.address, l)
	if err != nil {
		return load.Iperf3Throughput{}, err
	}
	streams, err := load.Iperf3Streams(ran.clients, ran.servers)
	if err != nil {
		return load.Iperf3Throughput{}, err
	}
	return load.CombineIperf3(streams)
}

// requestBeside runs both loads at once.
func requestBeside(ctx context.Context, b *stage.Bench, requests rrLoad, with beside) (stage.Measurement, error) {
	l := with.around(requests.client)
	var carried load.Iperf3Throughput
	ran, err := runTogether(ctx, b, requests, func(ctx context.Context) (err error) {
		if carried, err = carryBulk(ctx, b, with, l); err != nil {
			return fmt.Errorf("bulk load: %w", err)
		}
		return nil
	})
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateBeside(b, ran, carried, with)
}

// around is the bulk load with times that enclose those of requests.
func (l beside) around(requests pace.Spec) bulk {
	longer := l.bulk()
	longer.series = "load-"
	longer.omit = max(requests.Omit-loadLead, 0)
	longer.duration = requests.Duration + requests.Omit - longer.omit + loadLead
	return longer
}

// runTogether runs requests and other loads at once. When one fails, it ends
// the others, and its error is what is told.
func runTogether(ctx context.Context, b *stage.Bench, requests rrLoad, others ...func(context.Context) error) (rrRun, error) {
	all, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	failed := make([]error, len(others))
	var begun sync.WaitGroup
	ran, err := runRR(all, b, requests, func() {
		for i, other := range others {
			begun.Go(func() {
				if failed[i] = other(all); failed[i] != nil {
					cancel(failed[i])
				}
			})
		}
	})
	if err != nil {
		if cause := context.Cause(all); cause != nil {
			err = cause // what ended another load ended the requests
		}
		cancel(err)
	}
	begun.Wait()
	switch {
	case err != nil:
		return ran, err
	case slices.ContainsFunc(failed, func(err error) bool { return err != nil }):
		return ran, context.Cause(all)
	}
	return ran, nil
}

// reached is the share of the rate asked for from which on a load counts as
// reached.
const reached = 0.95

func evaluateBeside(b *stage.Bench, ran rrRun, carried load.Iperf3Throughput, with beside) (stage.Measurement, error) {
	if err := carriedDuring(carried, ran.report, "requests"); err != nil {
		return stage.Measurement{}, err
	}
	if _, err := carried.CongestionControl(); err != nil {
		return stage.Measurement{}, &stage.InvalidError{Reason: err.Error()}
	}
	m, err := evaluateRR(b, ran)
	if err != nil {
		return stage.Measurement{}, err
	}
	m.Values = append(m.Values, result.Value{Metric: loadCarried, Value: carried.BitsPerSecond})
	maps.Copy(m.Facts, map[string]string{
		"load asked for": fmt.Sprintf("%.4g Gbit/s", with.rate/1e9), "load window": carried.Window.String(),
	})
	if with.capacity > 0 {
		m.Values = append(m.Values, result.Value{Metric: capacity, Value: with.capacity})
	}
	m.Marks = append(m.Marks, with.marks(carried)...)
	return m, nil
}

// carriedDuring is an [*stage.InvalidError] unless the bulk load ran during all
// of what was paced.
func carriedDuring(carried load.Iperf3Throughput, paced pace.Report, what string) error {
	window := sample.Window{Start: paced.Start, End: paced.End}
	if carried.Window.Start.After(window.Start) || carried.Window.End.Before(window.End) {
		return &stage.InvalidError{Reason: fmt.Sprintf("the bulk load ran in %v, not during all of the %s in %v", carried.Window, what, window)}
	}
	return nil
}

// marks say that the load did not reach its rate.
func (l beside) marks(carried load.Iperf3Throughput) []result.Mark {
	if carried.BitsPerSecond >= reached*l.rate {
		return nil
	}
	return []result.Mark{{Name: "load-not-reached", Detail: fmt.Sprintf(
		"the bulk load carried %.4g Gbit/s of %.4g", carried.BitsPerSecond/1e9, l.rate/1e9)}}
}
