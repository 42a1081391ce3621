package scenario

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Metrics of a series of stream counts.
var (
	kneeStreams = result.Metric{Name: "knee", Unit: "streams", Better: result.Lower, Scale: result.Difference, Margin: 1,
		Help: "fewest streams that reach 95 % of the largest throughput of the series"}
	kneeLow = result.Metric{Name: "knee-low", Unit: "streams", Better: result.Lower, Scale: result.Difference, Margin: 1,
		Help: "lower end of the knee's interval: the fewest that reach 92 %, as if throughputs were off by their margin"}
	kneeHigh = result.Metric{Name: "knee-high", Unit: "streams", Better: result.Lower, Scale: result.Difference, Margin: 1,
		Help: "upper end of the knee's interval: the fewest that reach 98 %"}
	peakThroughput = result.Metric{Name: "peak-throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "largest throughput of the series"}
	linkShare = result.Metric{Name: "link-share", Unit: "percent", Better: result.Higher, Scale: result.Difference, Margin: 3,
		Help: "largest throughput of the series, in per cent of the payload that the link carries"}
	linkPayload = result.Metric{Name: "link-payload", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "payload that the link carries, of which link-share is a share; where it was measured it differs from trial to trial"}
	fillingStreams = result.Metric{Name: "streams-to-saturation", Unit: "streams", Better: result.Lower, Scale: result.Difference, Margin: 1,
		Help: "fewest streams that reach 95 % of what the link carries; not reported where none does, which a mark says"}
)

// Parameters of the series.
var (
	maxStreams = parameter.Parameter{
		Name: "max-streams", Kind: parameter.Integer, Default: []string{"8"}, Min: "1", Max: "64",
		Help: "the series goes from one stream to this many",
	}
	linkRate = parameter.Parameter{
		Name: "link-rate", Kind: parameter.Rate, Default: []string{"0bit"},
		Help: "payload that the link carries in each direction; 0bit: by the nodes' network cards, or else measured from host to host",
	}
)

func init() {
	register(Scenario{
		Name:  "streams-to-saturation",
		Title: "how many TCP streams it takes to fill the link",
		Description: "One trial runs TCP bulk load with 1, 2, 3, 4, 6, 8, … streams one after the other and looks for the knee: the fewest streams that reach 95 % " +
			"of the largest throughput seen, with the interval that a margin of 3 % in throughput leaves. The largest throughput is then put into relation to what the " +
			"link carries: the parameter link-rate if it is given; else the rate of the nodes' network cards less the overhead of Ethernet, IP and TCP, where their driver tells it; " +
			"else what as many streams from host to host reach right after the series, in the same trial. The fact \"link\" says which it was. " +
			"Without a network card, as in a lab, the last is what two hosts can do on this CPU, no line rate. " +
			"CPU and memory are those at the knee. " + tcpDescription + bidirDescription +
			" The streams are those of each direction, and the link carries its payload both ways.",
		Metrics: []result.Metric{
			kneeStreams, kneeLow, kneeHigh, fillingStreams, peakThroughput, linkShare, linkPayload, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory,
		},
		Parameters: []parameter.Parameter{
			duration.With("3s"), omit.With("1s"), maxStreams, direction, linkRate, stage.Placement, stage.ClientEnd, stage.ServerEnd, stage.Path,
		},
		Expected: func(v parameter.Values) time.Duration {
			loads := len(streamCounts(v.Integer(maxStreams.Name))) + 1 // host to host
			return time.Duration(loads) * (v.Duration(duration.Name) + v.Duration(omit.Name) + time.Second)
		},
		Run: measureSaturation,
	})
}

// stepRun is a step of the series with all that is known of it.
type stepRun struct {
	step
	ran     bulkRun
	streams []load.Iperf3Stream
	t       load.Iperf3Throughput
}

func measureSaturation(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	l := bulk{
		ends: stage.EndsOf(v), path: v.Text(stage.Path.Name), direction: v.Text(direction.Name),
		duration: v.Duration(duration.Name), omit: v.Duration(omit.Name),
	}
	var runs []stepRun
	var series []step
	for _, n := range streamCounts(v.Integer(maxStreams.Name)) {
		l.streams, l.series = n, fmt.Sprintf("streams-%d-", n)
		run, err := runStep(ctx, b, l)
		if err != nil {
			return stage.Measurement{}, fmt.Errorf("with %d streams: %w", n, err)
		}
		runs, series = append(runs, run), append(series, run.step)
	}
	k, err := findKnee(series)
	if err != nil {
		return stage.Measurement{}, err
	}
	link, err := findLink(ctx, b, v, runs[len(runs)-1])
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := b.KeepJSON("series.json", map[string]any{"steps": series, "linkBitsPerSecond": link.carries, "link": link.why}); err != nil {
		return stage.Measurement{}, err
	}
	return evaluateSaturation(b, runs, series, k, link)
}

// runStep runs the load once.
func runStep(ctx context.Context, b *stage.Bench, l bulk) (stepRun, error) {
	ran, err := runBulk(ctx, b, l)
	if err != nil {
		return stepRun{}, err
	}
	streams, t, err := combineTCP(ran.iperf3Run)
	if err != nil {
		return stepRun{}, err
	}
	if _, err := t.CongestionControl(); err != nil {
		return stepRun{}, &stage.InvalidError{Reason: err.Error()}
	}
	if err := ran.limit.Check(stage.HeadersTCP, t.Forward, t.Reverse); err != nil {
		return stepRun{}, err
	}
	if err := keepThroughput(b, l.series, streams); err != nil {
		return stepRun{}, err
	}
	return stepRun{step{l.streams, t.BitsPerSecond}, ran, streams, t}, nil
}

// link is what the link is taken to carry in all directions of the load
// together, in bit/s of payload, and why.
type link struct {
	carries float64
	why     string
}

// findLink follows the order that the scenario's description gives.
func findLink(ctx context.Context, b *stage.Bench, v parameter.Values, last stepRun) (link, error) {
	l := last.ran.load
	if said, ok := saidLink(v.Rate(linkRate.Name), last.ran.limit, l.direction); ok {
		return said, nil
	}
	l.ends.Client, l.ends.Server, l.path, l.series = stage.OnHost, stage.OnHost, stage.PodIP, "host-"
	host, err := runStep(ctx, b, l)
	if err != nil {
		return link{}, fmt.Errorf("from host to host: %w", err)
	}
	return link{host.Throughput, fmt.Sprintf("%d streams from host to host, measured in this trial%s", l.streams, bothWays(l.direction))}, nil
}

// saidLink is what is known of the link without measuring it: the payload that
// the parameter gives, in bit/s, or that the line carries. It reports false
// where neither does.
func saidLink(payload float64, limit stage.LineLimit, direction string) (link, bool) {
	why := "the parameter link-rate"
	if payload <= 0 {
		payload, why = limit.Goodput(stage.HeadersTCP), "TCP payload of "+limit.String()
	}
	if direction == "bidir" {
		payload *= 2 // a line carries as much in each
	}
	return link{payload, why + bothWays(direction)}, payload > 0
}

func bothWays(direction string) string {
	if direction == "bidir" {
		return ", both ways together"
	}
	return ""
}

// evaluateSaturation makes the measurement. Its window and resources are the
// knee's.
func evaluateSaturation(b *stage.Bench, runs []stepRun, series []step, k knee, link link) (stage.Measurement, error) {
	at := runs[0]
	var limited []string
	for _, run := range runs {
		if run.Streams == k.at {
			at = run
		}
		limited = append(limited, run.t.Limited...)
	}
	m, _ := b.MeasureWindow(at.ran.load.series, at.t.Window, at.ran.samples)
	values := []result.Value{
		{Metric: kneeStreams, Value: float64(k.at)}, {Metric: kneeLow, Value: float64(k.low)}, {Metric: kneeHigh, Value: float64(k.high)},
		{Metric: peakThroughput, Value: k.peak}, {Metric: linkShare, Value: 100 * k.peak / link.carries}, {Metric: linkPayload, Value: link.carries},
	}
	if n := filling(series, link.carries); n > 0 {
		values = append(values, result.Value{Metric: fillingStreams, Value: float64(n)})
	} else {
		m.Marks = append(m.Marks, result.Mark{Name: "not-saturated", Detail: fmt.Sprintf(
			"no number of streams up to %d reached %.0f %% of %.4g Gbit/s", runs[len(runs)-1].Streams, 100*kneeShare, link.carries/1e9)})
	}
	m.Values = append(values, m.Values...)
	m.Marks = append(m.Marks, stage.LimitedMarks(limited)...)
	maps.Copy(m.Facts, bulkFacts(at.ran, at.streams, at.t.Slack))
	m.Facts["link"] = fmt.Sprintf("%.4g Gbit/s: %s", link.carries/1e9, link.why)
	m.Facts["series"] = seriesWords(series)
	return m, nil
}

// seriesWords is a fact for people; the evidence has the figures.
func seriesWords(series []step) string {
	text := ""
	for i, s := range series {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d: %.4g", s.Streams, s.Throughput/1e9)
	}
	return text + " Gbit/s"
}
