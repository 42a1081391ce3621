package stage

import (
	"context"
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/tunnel"
)

// openKonnectivity has Konnectivity's server at the client's end, as beside an
// API server, and its agent at the server's. The load at the client's end goes
// to ports of its own end, from where the probe leads it into the server by
// HTTP CONNECT, which an API server does itself.
func (b *Bench) openKonnectivity(ctx context.Context, spec TunnelSpec) (*Tunnel, error) {
	spec.Ends.BesideClient = Beside{Image: cluster.KonnectivityServerImage}
	spec.Ends.BesideServer = Beside{Image: cluster.KonnectivityAgentImage}
	pair, err := b.Stage.Pair(ctx, spec.Ends)
	if err != nil {
		return nil, err
	}
	way := tunnel.Konnectivity{Server: pair.Client.IP, Dir: probe.LoadDir}
	if err := way.Validate(); err != nil {
		return nil, err
	}
	serverKey, agentKey, err := tunnelCredentials(way.Server)
	if err != nil {
		return nil, err
	}
	for _, end := range []struct {
		pod         cluster.Pod
		credentials tunnel.Credentials
	}{{pair.Client, serverKey}, {pair.Server, agentKey}} {
		for _, f := range way.Files(end.credentials) {
			if err := PutFile(ctx, b.Cluster, end.pod, probe.PutSpec{Path: f.Path, Size: len(f.Content)}, f.Content); err != nil {
				return nil, err
			}
		}
	}
	t := &Tunnel{
		Pair: pair, Listen: pair.Server.IP, Source: pair.Server.IP, // the agent's, which dials
		Broken: "Konnectivity ends the client's connection beside it: what TCP sees there is not the way to the server",
		facts: map[string]string{
			"tunnel": "Konnectivity (" + cluster.KonnectivityServerImage + ", " + cluster.KonnectivityAgentImage + "), HTTP CONNECT on a UNIX socket, gRPC with TLS between the nodes",
		},
		judge: func([]probe.ProcessReport) (map[string]string, error) { return nil, nil },
	}
	if err := b.startKonnectivity(ctx, t, spec, way); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// startKonnectivity starts both programs, and what leads the load to them.
func (b *Bench) startKonnectivity(ctx context.Context, t *Tunnel, spec TunnelSpec, way tunnel.Konnectivity) error {
	for _, end := range []struct {
		name   string
		pod    cluster.Pod
		argv   []string
		listen []int
	}{
		{"konnectivity-server", t.Pair.Client, way.ServerArgv(), []int{tunnel.KonnectivityAgentPort}},
		{"konnectivity-agent", t.Pair.Server, way.AgentArgv(), nil},
	} {
		d, err := b.startDaemon(ctx, end.name, end.pod, probe.LoadSpec{
			Timeout: spec.Life, Listen: end.listen, Processes: []probe.Process{{Argv: end.argv}},
		})
		if err != nil {
			return err
		}
		t.daemons = append(t.daemons, d)
	}
	forward := probe.ForwardSpec{Proxy: way.Socket(), Host: t.Pair.Server.IP, Ports: slices.Concat([]int{EchoPort}, spec.Ports)}
	session, err := Open(ctx, "forwarding in "+t.Pair.Client.Name, ProbeInPod(b.Cluster, t.Pair.Client), "forward", forward)
	if err != nil {
		return err
	}
	t.forwarding = session
	var ready probe.ForwardReady
	if err := session.Read(probe.FrameReady, &ready); err != nil {
		return fmt.Errorf("leading the load into Konnectivity: %w", err)
	}
	t.Address = Address{Host: "127.0.0.1", Translated: ready.Ports}
	return nil
}
