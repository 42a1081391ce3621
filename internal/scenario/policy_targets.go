package scenario

import (
	"context"
	"fmt"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/web"
	"github.com/cnibench/cnibench/internal/scenario/policy"
	"github.com/cnibench/cnibench/internal/stage"
)

// outsidePatience is how long pods may need to reach the API server.
const outsidePatience = 2 * time.Second

// openProbes serves the matrix's targets in server and witness, and starts a
// watcher in client and witness. The function that it returns ends them all.
func (x *policyMatrix) openProbes(ctx context.Context) (end func(), err error) {
	var sessions []*stage.Session
	end = func() {
		for _, one := range sessions {
			one.Close()
		}
	}
	ports := []int{policy.FirstPort, policy.SecondPort, policy.ThirdPort, policy.LastPort}
	first := []int{policy.FirstPort}
	listener, ready, err := listen(ctx, x.Bench, x.pair.Server, probe.ListenSpec{TCP: ports, UDP: first, SCTP: first})
	if err != nil {
		return end, err
	}
	sessions = append(sessions, listener)
	x.lacks[policy.SCTP] = ready.NoSCTP
	if listener, _, err = listen(ctx, x.Bench, x.witness, probe.ListenSpec{TCP: ports[:2]}); err != nil {
		return end, err
	}
	sessions = append(sessions, listener)
	if x.lacks[policy.L7], err = x.lacksHTTP(ctx); err != nil {
		return end, err
	}
	targets := x.targets(ready.NoSCTP == "")
	if x.lacks[policy.L7] == "" {
		server, err := serveWeb(ctx, x.Bench, x.pair.Server, web.Spec{Port: policy.HTTPPort})
		if err != nil {
			return end, err
		}
		sessions = append(sessions, server)
		address := hostPort(x.pair.Server.IP, policy.HTTPPort)
		targets = append(targets, httpTarget(policy.AllowedHTTP, address, policy.AllowedPath), httpTarget(policy.DeniedHTTP, address, policy.DeniedPath))
	}
	outside, err := x.apiServer(ctx)
	if err != nil {
		return end, err
	}
	if outside.Address != "" {
		targets = append(targets, outside)
	}
	for from, spec := range map[string][]probe.WatchTarget{policy.FromClient: targets, policy.FromWitness: targets[:1]} {
		pod := x.pair.Client
		if from == policy.FromWitness {
			pod = x.witness
		}
		w, err := startWatcher(ctx, x.Bench, pod, probe.WatchSpec{Interval: matrixInterval, Timeout: watchTimeout, OnDemand: true, Targets: spec})
		if err != nil {
			return end, err
		}
		sessions, x.watchers[from] = append(sessions, w.Session), w
	}
	return end, x.proveOutside(outside)
}

// targets are those in pods; the first is the witness's, too.
func (x *policyMatrix) targets(sctp bool) []probe.WatchTarget {
	server, witness := x.pair.Server.IP, x.witness.IP
	targets := []probe.WatchTarget{
		tcpTarget(policy.ServerFirst, server, policy.FirstPort),
		tcpTarget(policy.ServerSecond, server, policy.SecondPort),
		tcpTarget(policy.ServerThird, server, policy.ThirdPort),
		tcpTarget(policy.ServerLast, server, policy.LastPort),
		{Name: policy.ServerUDP, Network: probe.NetworkUDP, Address: hostPort(server, policy.FirstPort)},
		tcpTarget(policy.WitnessFirst, witness, policy.FirstPort),
		tcpTarget(policy.WitnessSecond, witness, policy.SecondPort),
	}
	if sctp {
		targets = append(targets, probe.WatchTarget{Name: policy.ServerSCTP, Network: probe.NetworkSCTP, Address: hostPort(server, policy.FirstPort)})
	}
	return targets
}

func httpTarget(name, address, path string) probe.WatchTarget {
	return probe.WatchTarget{Name: name, Network: probe.NetworkHTTP, Address: address, Path: path}
}

// apiServer is an address that is no pod's and that clusters have: what the
// Service kubernetes stands for. Without one its address is empty.
func (x *policyMatrix) apiServer(ctx context.Context) (probe.WatchTarget, error) {
	list, err := x.Cluster.Kube().DiscoveryV1().EndpointSlices(metav1.NamespaceDefault).List(ctx,
		metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=kubernetes"})
	if err != nil {
		return probe.WatchTarget{}, fmt.Errorf("looking for the API server's address: %w", err)
	}
	for _, slice := range list.Items {
		for _, endpoint := range slice.Endpoints {
			if len(endpoint.Addresses) > 0 && len(slice.Ports) > 0 && slice.Ports[0].Port != nil {
				x.outside = endpoint.Addresses[0]
				return tcpTarget(policy.OutsideTarget, x.outside, int(*slice.Ports[0].Port)), nil
			}
		}
	}
	return probe.WatchTarget{}, nil
}

// proveOutside finds out whether pods reach the API server: features that need
// an address outside cannot be tried otherwise.
func (x *policyMatrix) proveOutside(outside probe.WatchTarget) error {
	if outside.Address == "" {
		x.lacks[policy.Outside] = "the cluster's Service kubernetes has no endpoint, and no other address outside is known"
		return nil
	}
	a := awaitAll(true, outside.Name)
	a.Settle, a.Limit = 1, outsidePatience
	watched, err := x.watchers[policy.FromClient].await(a)
	if err == nil && !watched.Settled {
		x.lacks[policy.Outside] = fmt.Sprintf("pods do not reach the API server at %s without any policy", outside.Address)
	}
	return err
}
