package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	passive "github.com/cnibench/cnibench/internal/probe/rtt"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// NICRTT asks for round trips at the nodes' network cards.
var NICRTT = parameter.Parameter{
	Name: "nic-rtt", Kind: parameter.Boolean, Default: []string{"false"},
	Help: "measure round trips of the load's packets at the senders' network cards, by eBPF",
}

// nicPercentile is one of the round trips, as a metric, with how many it needs
// so that ten lie beyond it (docs/methodology.md, section 3).
type nicPercentile struct {
	metric   result.Metric
	quantile float64
	needs    uint64
}

func nicMetric(name, help string) result.Metric {
	return result.Metric{Name: name, Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10, Help: help}
}

var nicPercentiles = []nicPercentile{
	{nicMetric("nic-rtt-p50", "median round trip from the sender's network card to the receiver and back; with nic-rtt"), .50, 20},
	{nicMetric("nic-rtt-p99", "99th percentile round trip from the sender's network card to the receiver and back; from 1,000 round trips on; with nic-rtt"), .99, 1000},
	{nicMetric("nic-rtt-p999", "99.9th percentile round trip from the sender's network card to the receiver and back; from 10,000 round trips on; with nic-rtt"), .999, 10000},
}

// WithNICRTT adds the metrics to a scenario's.
func WithNICRTT(metrics []result.Metric) []result.Metric {
	return append(slices.Clone(metrics), nicMetrics()...)
}

func nicMetrics() (all []result.Metric) {
	for _, p := range nicPercentiles {
		all = append(all, p.metric)
	}
	return all
}

// NICWatch is probes that measure round trips at the cards of nodes that send.
// Nil, nobody asked.
type NICWatch struct {
	bench *Bench
	at    []nicSession
	// why says why there is nothing to measure.
	why string
}

type nicSession struct {
	node    string
	session *Session
}

// NICSeen is what a NICWatch brings home.
type NICSeen struct {
	asked   bool
	devices []nicDevice
	why     string // not measured
}

type nicDevice struct {
	node string
	passive.Observed
}

// NICLoad says whose round trips are asked for.
type NICLoad struct {
	Pair     Pair
	Senders  []cluster.Pod // nobody, if round trips are not asked for
	Address  Address
	Ports    Ports
	Duration time.Duration
}

// WatchNIC starts the probes. Where round trips cannot be measured the watch
// says why, which is no error.
func (b *Bench) WatchNIC(ctx context.Context, l NICLoad) (*NICWatch, error) {
	if len(l.Senders) == 0 {
		return nil, nil
	}
	w := &NICWatch{bench: b}
	if l.Pair.Client.Node == l.Pair.Server.Node {
		w.why = "both ends are on " + l.Pair.Client.Node + ": nothing passes its network card"
		return w, nil
	}
	nodes, err := b.Cluster.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	for _, sender := range l.Senders {
		i := slices.IndexFunc(nodes, func(n cluster.Node) bool { return n.Name == sender.Node && n.Address != "" })
		if i < 0 {
			w.Cancel()
			return nil, fmt.Errorf("node %s has no address inside the cluster", sender.Node)
		}
		if err := w.start(ctx, nodes[i], l); err != nil {
			w.Cancel()
			return nil, err
		}
	}
	return w, nil
}

func (w *NICWatch) start(ctx context.Context, node cluster.Node, l NICLoad) error {
	spec := passive.Spec{
		Taps:     []passive.Tap{{Name: "nic", Address: node.Address}},
		Flows:    nicFlows(l),
		Interval: SamplingInterval(l.Duration),
	}
	s, err := Open(ctx, "probe of round trips on "+node.Name, ProbeOnNode(w.bench.Cluster, node.Name), "rtt", spec)
	if err != nil {
		return err
	}
	w.at = append(w.at, nicSession{node.Name, s})
	var ready passive.Ready
	if err := s.Read(probe.FrameReady, &ready); err != nil {
		return err
	}
	if ready.Unsupported != "" {
		w.why = "node " + node.Name + ": " + ready.Unsupported
	}
	return nil
}

// nicFlows tell the load from everything else at a card. A Service's address
// is not seen there: whoever carries it has put the server's in its place. That
// of a node and its ports is, up to the server's node.
func nicFlows(l NICLoad) []passive.Flow {
	flows := []passive.Flow{{Label: "server", There: passive.End{
		Addresses: l.Pair.Server.IP, FirstPort: l.Ports.First, LastPort: l.Ports.First + l.Ports.Count - 1,
	}}}
	if _, err := netip.ParseAddr(l.Address.Host); err == nil && l.Address.Translated != nil {
		first, last := 65535, 0
		for i := range l.Ports.Count {
			port := l.Address.Port(l.Ports.First + i)
			first, last = min(first, port), max(last, port)
		}
		flows = append(flows, passive.Flow{Label: "node-port", There: passive.End{Addresses: l.Address.Host, FirstPort: first, LastPort: last}})
	}
	return flows
}

// Cancel ends the probes and throws away what they saw.
func (w *NICWatch) Cancel() {
	if w == nil {
		return
	}
	for _, s := range w.at {
		s.session.Close()
	}
}

// Stop ends the probes and keeps what they saw. What a probe could not bring
// home is a reason, not an error: the load has been measured.
func (w *NICWatch) Stop(series string) NICSeen {
	if w == nil {
		return NICSeen{}
	}
	seen := NICSeen{asked: true, why: w.why}
	for _, s := range w.at {
		s.session.Close()
		var report passive.Report
		if err := s.session.Read(probe.FrameRTT, &report); err != nil {
			seen.why = err.Error()
			continue
		}
		for _, d := range report.Devices {
			seen.devices = append(seen.devices, nicDevice{s.node, d})
		}
		if report.Unsupported != "" {
			continue
		}
		data, err := json.Marshal(report)
		if err != nil {
			seen.why = err.Error()
			continue
		}
		w.bench.Keep(series+"nic-rtt-"+s.node+".json", append(data, '\n'))
	}
	return seen
}

// NICFigures are the percentiles of the round trips that a load's segments took
// in its window, as they left their senders' nodes.
func (b *Bench) NICFigures(series string, seen NICSeen, w sample.Window) (Figures, map[string]string, error) {
	var f Figures
	switch {
	case !seen.asked:
		return f, nil, nil
	case seen.why != "":
		f.Lack(seen.why, nicMetrics()...)
		return f, nil, nil
	}
	h, facts := seen.within(w)
	for _, p := range nicPercentiles {
		if n := h.Count(); n < p.needs {
			f.Lack(fmt.Sprintf("it needs %d round trips, and %d were measured: %s", p.needs, n, facts["nic-rtt"]), p.metric)
			continue
		}
		at, _ := h.Quantile(p.quantile)
		f.Add(p.metric, at.Seconds())
	}
	if h.Count() == 0 {
		return f, facts, nil
	}
	log, err := hdrLog(h, w)
	if err != nil {
		return f, facts, err
	}
	b.Keep(series+"nic-rtt.hlog", log)
	return f, facts, nil
}

// within adds up what all cards saw in a window, of all the load's connections.
func (s NICSeen) within(w sample.Window) (passive.Histogram, map[string]string) {
	var h passive.Histogram
	var words []string
	for _, d := range s.devices {
		var counts passive.Counts
		for _, f := range d.Flows {
			h.Merge(f.Between(w.Start, w.End, passive.Egress))
			counts.Segments += f.Segments
			counts.Unstamped += f.Unstamped
			counts.Matched += f.Matched
			counts.Forgotten += f.Forgotten + f.Refused
		}
		words = append(words, fmt.Sprintf("%s %s (%s): %d segments of the load, %d without timestamps, %d round trips, %d forgotten; %d packets of the card tunnelled",
			d.node, d.Interface, d.Hook, counts.Segments, counts.Unstamped, counts.Matched, counts.Forgotten, d.Totals.Tunnelled))
	}
	return h, map[string]string{"nic-rtt": strings.Join(words, "; "), "nic-rtt in the window": fmt.Sprint(h.Count())}
}

// hdrLog writes a histogram in the text format of HdrHistogram's logs, in
// nanoseconds.
func hdrLog(h passive.Histogram, w sample.Window) ([]byte, error) {
	out := hdrhistogram.New(1, int64(2*time.Minute), 3)
	var wrong error
	h.Each(func(d time.Duration, n uint64) { wrong = errors.Join(wrong, out.RecordValues(int64(d), int64(n))) })
	out.SetTag("nic-rtt")
	out.SetStartTimeMs(w.Start.UnixMilli())
	out.SetEndTimeMs(w.End.UnixMilli())
	var buf bytes.Buffer
	log := hdrhistogram.NewHistogramLogWriter(&buf)
	err := errors.Join(wrong, log.OutputLogFormatVersion(), log.OutputStartTime(w.Start.UnixMilli()), log.OutputLegend(), log.OutputIntervalHistogram(out))
	if err != nil {
		return nil, fmt.Errorf("writing round trips: %w", err)
	}
	return buf.Bytes(), nil
}
