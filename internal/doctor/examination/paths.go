package examination

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/doctor"
	"github.com/cnibench/cnibench/internal/stage"
)

const (
	// podsTimeout bounds the start of a pair of pods, whose image nodes may have
	// to pull; reachTimeout the wait for a first packet, and for a Service.
	podsTimeout  = 90 * time.Second
	reachTimeout = 30 * time.Second
	burstRest    = 20 * time.Second
	burstLength  = 60 * time.Second
	mtuSlack     = 100 // bytes above the link's MTU that are tried
)

// paths makes load pods, tries what they reach, and takes them away again.
func (e *examiner) paths() error {
	if err := e.awaitNamespace(); err != nil {
		e.missPaths(err)
		return nil
	}
	entry, err := e.Catalog.Entry("installed", cni.Choice{})
	if err != nil {
		return err
	}
	if e.Cluster.KubeProxy() == "none" {
		entry.Services = "plugin" // trying shows whether it does
	}
	s, err := stage.New(e.ctx, e.Cluster, entry, stage.Overlay{})
	if err != nil {
		e.missPaths(err)
		return nil
	}
	e.hosts(s)
	e.betweenPods(s)
	// Also after an interrupt.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 2*podsTimeout)
	defer cancel()
	return s.Remove(ctx)
}

func (e *examiner) missPaths(err error) {
	for _, part := range []doctor.Part{doctor.PartHostPath, doctor.PartPodPath, doctor.PartService, doctor.PartDNS, doctor.PartEnds, doctor.PartIperf3, doctor.PartBurst} {
		e.miss(part, err)
	}
}

// awaitNamespace returns when our namespace is not on its way out: an earlier
// command's goes in the background.
func (e *examiner) awaitNamespace() error {
	return cluster.Until(e.ctx, podsTimeout, "the namespace "+cluster.Namespace+" of an earlier command to be gone", func(ctx context.Context) error {
		n, err := e.Cluster.Kube().CoreV1().Namespaces().Get(ctx, cluster.Namespace, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err == nil && n.DeletionTimestamp != nil:
			return errors.New("it is still there")
		}
		return err
	})
}

// pair starts two pods across nodes.
func (e *examiner) pair(s *stage.Stage, end string) (stage.Pair, error) {
	ctx, cancel := context.WithTimeout(e.ctx, podsTimeout)
	defer cancel()
	return s.Pair(ctx, stage.Ends{Client: end, Server: end, Placement: stage.CrossNode})
}

// hosts tries the network between the nodes, without the plugin.
func (e *examiner) hosts(s *stage.Stage) {
	pair, err := e.pair(s, stage.OnHost)
	if err != nil {
		e.miss(doctor.PartHostPath, err)
		e.miss(doctor.PartBurst, err)
		return
	}
	e.snapshot.HostPath = e.path(pair)
	if e.Deep {
		e.burst(pair)
	}
}

// burst loads the network between the nodes after a rest.
func (e *examiner) burst(pair stage.Pair) {
	e.Report("resting, then loading the network between the nodes, for " + (burstRest + burstLength).String())
	select {
	case <-e.ctx.Done():
	case <-time.After(burstRest):
	}
	rates, err := stage.Burst(e.ctx, e.Cluster, pair, burstLength)
	if err != nil {
		e.miss(doctor.PartBurst, err)
		return
	}
	e.snapshot.Burst = &doctor.Burst{From: pair.Client.Node, To: pair.Server.Node, Rest: burstRest, Interval: stage.BurstInterval, Rates: rates}
}

// betweenPods tries what is measured: pods across nodes, a Service, names.
func (e *examiner) betweenPods(s *stage.Stage) {
	pair, err := e.pair(s, stage.InPod)
	if err != nil {
		why := "the load pods do not start: " + err.Error()
		nodes := append(loadNodes(e.Cluster), "")
		e.snapshot.PodPath = &doctor.Path{From: "a pod on " + nodes[0], To: "a pod on " + nodes[1], Why: why}
		for _, part := range []doctor.Part{doctor.PartService, doctor.PartDNS, doctor.PartEnds, doctor.PartIperf3} {
			e.miss(part, errors.New(why))
		}
		return
	}
	e.snapshot.PodPath = e.path(pair)
	e.ends(pair)
	e.snapshot.Iperf3 = e.iperf3(pair.Client)
	e.service(s, pair)
	e.dns(pair)
}

// path tries a connection, and packets of growing size.
func (e *examiner) path(pair stage.Pair) *doctor.Path {
	p := &doctor.Path{From: at(pair.Client), To: at(pair.Server), LinkMTU: e.Cluster.Site().LinkMTU}
	ctx, cancel := e.within()
	defer cancel()
	err := cluster.Until(ctx, reachTimeout, "an answer", func(ctx context.Context) error {
		return cni.Reach(ctx, e.Cluster, pair.Client, pair.Server.IP, stage.EchoPort)
	})
	if err != nil {
		p.Why = err.Error()
		return p
	}
	// A busy machine may lose a packet, but never let a large one pass: the second
	// search is for what the first may have missed.
	for range 2 {
		m, err := stage.PathMTU(ctx, e.Cluster, pair, p.LinkMTU+mtuSlack)
		if err != nil {
			p.Why = err.Error()
			continue
		}
		p.Reached, p.Route, p.Interface = true, m.Route, m.Interface
		if p.Bytes = max(p.Bytes, m.Bytes); p.Bytes >= p.Route {
			break
		}
	}
	return p
}

func at(p cluster.Pod) string {
	if p.HostNetwork {
		return p.Node
	}
	return "a pod on " + p.Node
}

// ends reads the congestion control of the load pods' networks.
func (e *examiner) ends(pair stage.Pair) {
	ctx, cancel := e.within()
	defer cancel()
	e.snapshot.Ends = map[string]string{}
	for name, pod := range map[string]cluster.Pod{"client": pair.Client, "server": pair.Server} {
		report, err := stage.PodFacts(ctx, e.Cluster, pod)
		if err != nil {
			e.miss(doctor.PartEnds, err)
			continue
		}
		const setting = "sysctl.net.ipv4.tcp_congestion_control"
		if value, has := report.Node.Values[setting]; has {
			e.snapshot.Ends[name+" on "+pod.Node] = value
		} else {
			e.miss(doctor.PartEnds, errors.New(report.Node.Missing[setting]))
		}
	}
}

// iperf3 asks the load pods' iperf3 for its version: "iperf 3.12 (cJSON …".
func (e *examiner) iperf3(pod cluster.Pod) string {
	ctx, cancel := e.within()
	defer cancel()
	var stdout, stderr bytes.Buffer
	if err := e.Cluster.Exec(ctx, pod, []string{"iperf3", "--version"}, nil, &stdout, &stderr); err != nil {
		var exit *cluster.ExitError
		if !errors.As(err, &exit) {
			e.miss(doctor.PartIperf3, err)
			return ""
		}
	}
	if words := strings.Fields(stdout.String()); len(words) > 1 && words[0] == "iperf" {
		return words[1]
	}
	return strings.TrimSpace(stderr.String() + " (no version)")
}

// service makes a Service and connects through it.
func (e *examiner) service(s *stage.Stage, pair stage.Pair) {
	ctx, cancel := context.WithTimeout(e.ctx, 2*reachTimeout)
	defer cancel()
	a := &doctor.Attempt{What: "a connection from " + at(pair.Client) + " through a cluster IP to " + at(pair.Server)}
	_, err := s.Address(ctx, pair, stage.ClusterIP, stage.Ports{First: stage.FirstPort, Count: 1})
	if a.Done = err == nil; err != nil {
		a.Why = err.Error()
		if p := e.snapshot.PodPath; p != nil && !p.Reached {
			a.Fix = "mend pods.path first: without it no Service leads anywhere"
		}
	}
	e.snapshot.Service = a
}

// dns asks the cluster's DNS for a name that every cluster has.
func (e *examiner) dns(pair stage.Pair) {
	ctx, cancel := e.within()
	defer cancel()
	address, absent, err := e.Cluster.DNS(ctx)
	if err != nil {
		e.miss(doctor.PartDNS, err)
		return
	}
	d := &doctor.DNS{Address: address, Absent: absent}
	e.snapshot.DNS = d
	if absent != "" {
		return
	}
	argv := []string{"cnibench-probe", "reach", "dns", net.JoinHostPort(address, "53"), "kubernetes.default.svc"}
	err = cluster.Until(ctx, reachTimeout, "the cluster's DNS to answer", func(ctx context.Context) error {
		var stdout, stderr bytes.Buffer
		if err := e.Cluster.Exec(ctx, pair.Client, argv, nil, &stdout, &stderr); err != nil {
			return errors.New(firstOf(strings.TrimSpace(stderr.String()), err.Error()))
		}
		return nil
	})
	if d.Answers = err == nil; err != nil {
		d.Why = err.Error()
	}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
