package scenario

import (
	"context"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// connectTimeout is for one connection and its request, as tcp-crr's default.
const connectTimeout = 5 * time.Second

// policyScalingMetrics are those of a load, the first one first, and of the
// policies.
func policyScalingMetrics(load []result.Metric) []result.Metric {
	return slices.Concat(load[:1], []result.Metric{policyConfirmed, policyApplied, policyCPU, policyMemory}, load[1:])
}

// measureLoad runs the load with the policies in effect.
func (s *policyScaling) measureLoad(ctx context.Context) (stage.Measurement, error) {
	if s.connect {
		ran, err := runRR(ctx, s.Bench, s.connects(), nil)
		if err != nil {
			return stage.Measurement{}, err
		}
		return evaluateCRR(s.Bench, ran)
	}
	ran, err := runBulk(ctx, s.Bench, s.bulk())
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateTCP(s.Bench, ran)
}

// bulk is the load of tcp-pod-multi.
func (s *policyScaling) bulk() bulk {
	v, way := s.cell.Parameters, direction.Default[0]
	if v.Has(direction.Name) {
		way = v.Text(direction.Name)
	}
	return bulk{
		ends: stage.EndsOf(v), path: stage.PodIP, streams: v.Integer(streams.Name), direction: way,
		duration: v.Duration(duration.Name), omit: v.Duration(omit.Name),
	}
}

// connects is the closed load of tcp-crr.
func (s *policyScaling) connects() rrLoad {
	const size = 64 // bytes, as tcp-crr's default
	v := s.cell.Parameters
	return rrLoad{
		client: pace.Spec{
			Kind: pace.TCPCRR, Connections: v.Integer(streams.Name), Gaps: pace.Fixed, RequestBytes: size, ResponseBytes: size,
			Duration: v.Duration(duration.Name), Omit: v.Duration(omit.Name), Timeout: connectTimeout,
		},
		server: pace.ServeSpec{Kind: pace.TCPCRR, Port: rrPort, RequestBytes: size, ResponseBytes: size},
		ends:   stage.EndsOf(v), path: stage.PodIP,
	}
}

// allowedPorts are those of the allow probe and of the loads.
func (s *policyScaling) allowedPorts() []int {
	allowed := []int{stage.EchoPort}
	for _, ports := range []stage.Ports{s.bulk().ports(), s.connects().ports()} {
		for i := range ports.Count {
			if !slices.Contains(allowed, ports.First+i) {
				allowed = append(allowed, ports.First+i)
			}
		}
	}
	return allowed
}
