package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
	"github.com/cnibench/cnibench/internal/tunnel"
)

// Parameters of tunnels.
var (
	tunnelKind = parameter.Parameter{
		Name: "tunnel", Kind: parameter.Choice, Default: []string{stage.Direct, stage.OpenVPN},
		Choices: []string{stage.Direct, stage.OpenVPN, stage.Konnectivity},
		Help:    "what lies between the API server's end and the nodes'",
	}
	tunnelProtocol = parameter.Parameter{
		Name: "protocol", Kind: parameter.Choice, Default: []string{tunnel.OverUDP}, Choices: []string{tunnel.OverUDP, tunnel.OverTCP},
		Help: "how OpenVPN's packets travel; others have their own",
	}
	tunnelCipher = parameter.Parameter{
		Name: "cipher", Kind: parameter.Choice, Default: tunnel.OpenVPNCiphers()[:1], Choices: tunnel.OpenVPNCiphers(),
		Help: "cipher of OpenVPN's data channel; others have their own",
	}
)

// tunnelStart is about what a tunnel takes to come up and to go.
const tunnelStart = 3 * time.Second

// pingDir has the evidence of the requests: the bulk load has the same names.
const pingDir = "ping-pong"

func init() {
	register(Scenario{
		Name:  "control-plane-tunnel",
		Title: "throughput and latency between API server and nodes, through a tunnel",
		Description: "TCP bulk load, then a TCP ping-pong at a fixed rate, from a client that stands for the API server to a server that stands for a kubelet, " +
			"directly or through a tunnel as control planes have that live elsewhere: the difference to direct is what the tunnel costs. " +
			"OpenVPN is Debian's, in user space, with TLS and certificates made for the trial: its server is at the client's end, as in a control plane, and its client at the nodes' end dials it. " +
			"Konnectivity is Kubernetes' own (apiserver-network-proxy): its server takes HTTP CONNECT on a UNIX socket beside the client, its agent beside the server dials it by gRPC with mutual TLS, both without a line in their log for every packet; " +
			"the probe leads the load into the socket, and its copying is in the figures. " +
			"A tunnel's programs run beside the load in its pods and live for one trial; their CPU is in cpu and cpu-per-gbit, and each one's own in the facts. " +
			"Both ends are on nodes that carry load, since a lab's control plane runs no pods. " +
			tcpDescription + " The latencies are of the ping-pong, which has the path to itself, and count from the intended time, as in tcp-rr.",
		Metrics: []result.Metric{
			throughput, rrP50, rrP99, stage.CPUPerGbit, stage.CPU, rrP95, rrP999, rrMean, rrSD, serviceP50, serviceP99, answerRate, unanswered,
			retransmits, rtt, forwardThroughput, reverseThroughput, stage.CNICPU, stage.CNIMemory, stage.Memory,
		},
		Parameters: []parameter.Parameter{
			tunnelKind, tunnelProtocol, tunnelCipher, duration, omit, streams.With("1"), direction,
			requestRate.With("1000"), connections.With("1"), requestGaps, seed, requestSize, responseSize, requestTimeout,
			stage.Placement, stage.ClientEnd, stage.ServerEnd,
		},
		Expected: func(v parameter.Values) time.Duration {
			return tunnelStart + 2*(v.Duration(duration.Name)+v.Duration(omit.Name))
		},
		Run: measureTunnel,
	})
}

// tunnelBulk is the bulk load of a trial.
func tunnelBulk(v parameter.Values) bulk {
	return bulk{
		ends: stage.EndsOf(v), streams: v.Integer(streams.Name), direction: v.Text(direction.Name),
		duration: v.Duration(duration.Name), omit: v.Duration(omit.Name),
	}
}

// tunnelRequests are the ping-pong of a trial.
func tunnelRequests(v parameter.Values) rrLoad {
	return rrLoad{
		client: pacedOf(pace.TCPRR, v),
		server: pace.ServeSpec{
			Kind: pace.TCPRR, Port: rrPort, RequestBytes: v.Bytes(requestSize.Name), ResponseBytes: v.Bytes(responseSize.Name),
		},
	}
}

// tunnelPorts are those of all servers behind the tunnel.
func tunnelPorts(l bulk) []int {
	ports := []int{rrPort}
	for i := range l.ways() {
		ports = append(ports, stage.FirstPort+i)
	}
	return ports
}

func measureTunnel(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	l, requests := tunnelBulk(v), tunnelRequests(v)
	way, err := b.OpenTunnel(ctx, stage.TunnelSpec{
		Kind: v.Text(tunnelKind.Name), Ends: l.ends, Ports: tunnelPorts(l), Protocol: v.Text(tunnelProtocol.Name), Cipher: v.Text(tunnelCipher.Name),
		Life: 2*(l.duration+l.omit+stage.LoadGrace) + requests.client.Timeout + stage.PodTimeout,
	})
	if err != nil {
		return stage.Measurement{}, err
	}
	defer way.Close()
	carried, err := bulkThrough(ctx, b, way, l)
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("bulk load: %w", way.Explain(err))
	}
	asked, err := requestThrough(ctx, b.EvidenceIn(pingDir), way, requests)
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("ping-pong: %w", way.Explain(err))
	}
	facts, err := way.Stop(asked.report.End)
	if err != nil {
		return stage.Measurement{}, err
	}
	m, err := evaluateTunnel(b, carried, asked, way)
	if err != nil {
		return m, err
	}
	maps.Copy(m.Facts, facts)
	return m, nil
}

// bulkThrough runs bulk load while the machines are sampled.
func bulkThrough(ctx context.Context, b *stage.Bench, way *stage.Tunnel, l bulk) (bulkRun, error) {
	ran := bulkRun{load: l, address: way.Address, unattributed: "a tunnel's programs run in the load's pods: their share is not the generator's"}
	var err error
	if ran.limit, err = b.Stage.LineLimit(ctx, way.Pair); err != nil {
		return ran, err
	}
	sampling, err := b.StartSampling(ctx, l.duration, way.Pair.Client, way.Pair.Server)
	if err != nil {
		return ran, err
	}
	ran.iperf3Run, err = runIperf3(ctx, b, stage.PodEnd(b.Cluster, way.Pair.Client), stage.PodEnd(b.Cluster, way.Pair.Server), way.Address, l)
	if err != nil {
		sampling.Cancel()
		return ran, err
	}
	ran.samples, err = sampling.Stop(ctx)
	return ran, err
}

// requestThrough runs the ping-pong, unsampled.
func requestThrough(ctx context.Context, b *stage.Bench, way *stage.Tunnel, l rrLoad) (rrRun, error) {
	ran := rrRun{load: l, pair: way.Pair, address: way.Address}
	server, err := openRRServer(ctx, b, ran, way.Listen)
	if err != nil {
		return ran, err
	}
	defer server.Close()
	err = request(ctx, b, &ran, server)
	return ran, err
}

// evaluateTunnel makes one measurement of both loads.
func evaluateTunnel(b *stage.Bench, carried bulkRun, asked rrRun, way *stage.Tunnel) (stage.Measurement, error) {
	m, err := evaluateTCP(b, carried)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := cameThrough(m.Facts[peerFact], way.Source); err != nil {
		return stage.Measurement{}, err
	}
	if way.Broken != "" {
		m.Forget(way.Broken, retransmits, rtt)
		for _, fact := range []string{"mss", "path MTU"} {
			delete(m.Facts, fact)
		}
	}
	f, err := pingFigures(asked)
	if err != nil {
		return stage.Measurement{}, err
	}
	m.Follow(f)
	for name, words := range requestFacts(asked.report) {
		m.Facts["ping-pong "+name] = words
	}
	log, err := asked.report.Log()
	if err != nil {
		return stage.Measurement{}, err
	}
	b.Keep("latency.hlog", log) // where reports look for it
	return m, nil
}

// cameThrough holds the address at which the server saw the client against the
// one that it has only through the tunnel; empty for any.
func cameThrough(peer, source string) error {
	if source != "" && peer != source {
		return fmt.Errorf("the server saw its client at %q; through the tunnel it is at %s", peer, source)
	}
	return nil
}

// pingFigures are those of the ping-pong.
func pingFigures(ran rrRun) (stage.Figures, error) {
	if client, server := ran.report.CongestionControl, ran.served.CongestionControl; client != server {
		return stage.Figures{}, &stage.InvalidError{Reason: fmt.Sprintf("congestion control is %s at the client and %s at the server", client, server)}
	}
	values, marks, err := latencyValues(ran.report, ran.load.client.Timeout)
	if err != nil {
		return stage.Figures{}, fmt.Errorf("paced client in %s: %w", ran.pair.Client.Name, err)
	}
	marks = append(marks, stage.LimitedMarks(slices.Concat(ran.report.Limits(), ran.served.Limits()))...)
	f := stage.Figures{Values: values, Marks: marks}
	if !slices.ContainsFunc(values, func(v result.Value) bool { return v.Name == rrP999.Name }) {
		f.Lack(fmt.Sprintf("it needs %d requests", minimum999), rrP999)
	}
	return f, nil
}
