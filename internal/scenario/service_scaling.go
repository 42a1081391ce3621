package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

var (
	scalingServices = parameter.Parameter{
		Name: "services", Kind: parameter.Integer, Default: []string{"1", "100", "1000", "10000"}, Min: "1", Max: "20000",
		Help: "Services in front of the server, all there at once, each with one TCP port and an EndpointSlice",
	}
	scalingRepeats = parameter.Parameter{
		Name: "repeats", Kind: parameter.Integer, Default: []string{"5"}, Min: "1", Max: "100",
		Help: "times that one more Service is made and removed",
	}
	scalingSeed = parameter.Parameter{
		Name: "seed", Kind: parameter.Integer, Default: []string{"1"},
		Help: "of the draw of the Service that carries the TCP stream",
	}
)

func init() {
	register(Scenario{
		Name:  "service-scaling",
		Title: "connect rate, TCP throughput and programming time with many Services",
		Description: "Makes a number of Services through the API, all in front of one server, so that the cluster's own controller makes their EndpointSlices, " +
			"and waits until one that is made after them carries connections from the client. Then it makes one more, several times, and takes the time until that one carries connections; " +
			"sends one TCP stream through one of them, drawn by seed; and opens connections with one request each in a closed loop, as tcp-crr does, through all of them in turn: " +
			"iptables compares a first packet with one Service after the other, in an order that kube-proxy changes at every sync, so that a single Service would show its place. " +
			"Throughput may not depend on the number: only the first packet of a connection is looked up. " +
			"In the end all are removed, and the trial waits until the last carries connections no more. Times are exact to 10 ms. " +
			"Kubernetes's own part is in them: API server and EndpointSlice controller, which share the lab's processors with what is measured.",
		Metrics: slices.Concat(
			[]result.Metric{connectRate, throughput, programmingTime, programmingTimeMax, removalTime, servicesProgrammed, servicesCreated, servicesRemoved},
			settlingMetrics, []result.Metric{retransmits, rtt, connectP50, connectP99}, rrMetrics),
		Parameters: []parameter.Parameter{
			scalingServices, scalingRepeats, connections, scalingSeed, duration, omit, stage.Placement, stage.ClientEnd, stage.ServerEnd,
		},
		Requires: Requires{Services: true},
		Expected: serviceScalingTakes,
		Run:      measureServiceScaling,
	})
}

// serviceScalingTakes bounds a trial, too, so it is what a busy machine of two
// processors needs.
func serviceScalingTakes(v parameter.Values) time.Duration {
	const (
		perService = 60 * time.Millisecond // to be made, to act, to be removed
		perRepeat  = 8 * time.Second       // with the rests in it
		perOther   = 4 * time.Millisecond  // of a repeat: kube-proxy writes some rules of all Services
	)
	count := time.Duration(v.Integer(scalingServices.Name))
	repeats := time.Duration(v.Integer(scalingRepeats.Name))
	return count*perService + repeats*(perRepeat+count*perOther) + 2*(v.Duration(duration.Name)+v.Duration(omit.Name)) + 10*time.Second
}

// serviceScaling is a trial under way.
type serviceScaling struct {
	*stage.Bench
	cell      plan.Cell
	pair      stage.Pair
	set       *stage.ServiceSet
	names     []string // of the Services, in the order of their making
	addresses []string // their cluster IPs
	drawn     int      // which of them carries the stream
}

func measureServiceScaling(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	s, err := newServiceScaling(ctx, b, cell)
	if err != nil {
		return stage.Measurement{}, err
	}
	m, err := s.measure(ctx)
	var removed stage.Figures
	if err == nil {
		removed, err = s.remove(ctx)
	}
	if err != nil {
		return stage.Measurement{}, errors.Join(err, s.abandon(ctx))
	}
	m.Follow(removed)
	return m, nil
}

// abandon removes the Services of a trial that failed, and returns when the
// cluster has forgotten them. After an interrupt the run does so, with all load
// or with the whole lab: minutes of deleting one by one would come before that.
func (s *serviceScaling) abandon(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	if err := s.set.Remove(ctx, append(s.names, scalingLast)...); err != nil {
		return err
	}
	if err := s.forgotten(ctx); err != nil {
		return fmt.Errorf("waiting until the cluster has forgotten its Services: %w", err)
	}
	return nil
}

func newServiceScaling(ctx context.Context, b *stage.Bench, cell plan.Cell) (*serviceScaling, error) {
	count := cell.Parameters.Integer(scalingServices.Name)
	if err := b.Stage.HoldsServices(count + 1); err != nil {
		return nil, err
	}
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(cell.Parameters))
	if err != nil {
		return nil, err
	}
	set, err := b.Stage.ServiceSet(ctx, pair, stage.ClusterIP, rrPort)
	if err != nil {
		return nil, err
	}
	s := &serviceScaling{Bench: b, cell: cell, pair: pair, set: set, drawn: draw(cell.Parameters.Integer(scalingSeed.Name), count)}
	for i := range count {
		s.names = append(s.names, fmt.Sprintf("scaling-%d", i+1))
	}
	return s, nil
}

// draw chooses one of a number of Services.
func draw(seed, count int) int {
	return rand.New(rand.NewPCG(uint64(seed), uint64(count))).IntN(count)
}

// measure does everything but remove the Services.
func (s *serviceScaling) measure(ctx context.Context) (stage.Measurement, error) {
	settled, facts, err := s.settle(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	stream, err := s.stream(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	ran, err := runRR(ctx, s.Bench, s.connects(), nil)
	if err != nil {
		return stage.Measurement{}, err
	}
	m, err := evaluateCRR(s.Bench, ran)
	if err != nil {
		return stage.Measurement{}, err
	}
	m.Follow(settled)
	m.Follow(streamFigures(stream))
	maps.Copy(m.Facts, facts)
	maps.Copy(m.Facts, streamFacts(stream.Facts))
	m.Facts["services"] = fmt.Sprintf("%d in front of one server, carried by %s", len(s.names), carrier(s.Cluster.KubeProxy()))
	m.Facts["service of the stream"] = fmt.Sprintf("%s of %d, drawn by seed", s.names[s.drawn], len(s.names))
	counts := ran.report.Counts
	m.Facts["services of the connections"] = coverage(len(s.names), int(counts.Sent), int(counts.Answered))
	return m, nil
}

// stream is the load of tcp-service-single through the drawn Service.
func (s *serviceScaling) stream(ctx context.Context) (stage.Measurement, error) {
	v, evidence := s.cell.Parameters, s.EvidenceIn("stream")
	ran, err := runBulk(ctx, evidence, bulk{
		ends: stage.EndsOf(v), to: &stage.Address{Host: s.addresses[s.drawn]}, streams: 1, direction: direction.Default[0],
		duration: v.Duration(duration.Name), omit: v.Duration(omit.Name),
	})
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("TCP stream through %s: %w", s.names[s.drawn], err)
	}
	return evaluateTCP(evidence, ran)
}

// connects is the closed load of tcp-crr, through all Services in turn.
func (s *serviceScaling) connects() rrLoad {
	const size = 64 // bytes, as tcp-crr's default
	v := s.cell.Parameters
	l := rrLoad{
		client: pace.Spec{
			Kind: pace.TCPCRR, Connections: v.Integer(connections.Name), Gaps: pace.Fixed, RequestBytes: size, ResponseBytes: size,
			Duration: v.Duration(duration.Name), Omit: v.Duration(omit.Name), Timeout: connectTimeout,
		},
		server: pace.ServeSpec{Kind: pace.TCPCRR, Port: rrPort, RequestBytes: size, ResponseBytes: size},
		ends:   stage.EndsOf(v),
	}
	for _, address := range s.addresses {
		l.to = append(l.to, stage.Address{Host: address})
	}
	return l
}

// ports are those that a Service has besides the set's.
func (s *serviceScaling) ports(i int) []int {
	if i == s.drawn {
		return []int{stage.FirstPort}
	}
	return nil
}
