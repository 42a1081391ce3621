package stage

import (
	"context"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/tunnel"
)

// openVPNPort is not the registered one, which a node may use itself.
const openVPNPort = 11940

// mostPacket bounds the search for the path MTU, in bytes: jumbo frames.
const mostPacket = 9216

// openOpenVPN has OpenVPN's server at the client's end, since it is the control
// plane's, and its client at the server's: nodes dial. Both run next to the
// load and make a device in the network that they share with it.
func (b *Bench) openOpenVPN(ctx context.Context, spec TunnelSpec) (*Tunnel, error) {
	beside := Beside{Image: b.Cluster.OpenVPNImage(), Privileged: true}
	spec.Ends.BesideClient, spec.Ends.BesideServer = beside, beside
	if spec.Ends.resolve(b.Entry.HostNetwork()).oneNetwork() {
		return nil, &UnsupportedError{"both ends have the network of one node: nothing would pass through a tunnel between them"}
	}
	pair, err := b.Stage.Pair(ctx, spec.Ends)
	if err != nil {
		return nil, err
	}
	mtu, err := PathMTU(ctx, b.Cluster, pair, mostPacket)
	if err != nil {
		return nil, fmt.Errorf("finding the size of packets for OpenVPN: %w", err)
	}
	way := tunnel.OpenVPN{Server: pair.Client.IP, Port: openVPNPort, Protocol: spec.Protocol, Cipher: spec.Cipher, PacketBytes: mtu.Bytes}
	if err := way.Validate(); err != nil {
		return nil, err
	}
	return b.startOpenVPN(ctx, spec, pair, way)
}

// oneNetwork tells whether both ends have the same network namespace.
func (e Ends) oneNetwork() bool {
	return e.Placement == SameNode && e.Client == OnHost && e.Server == OnHost
}

// startOpenVPN starts both programs.
func (b *Bench) startOpenVPN(ctx context.Context, spec TunnelSpec, pair Pair, way tunnel.OpenVPN) (*Tunnel, error) {
	serverKey, clientKey, err := tunnelCredentials(way.Server)
	if err != nil {
		return nil, err
	}
	b.Keep("openvpn-server.conf", []byte(way.ServerConfig()))
	b.Keep("openvpn-client.conf", []byte(way.ClientConfig()))
	t := &Tunnel{
		Pair: pair, Address: Address{Host: tunnel.OpenVPNClientAddress}, Listen: tunnel.OpenVPNClientAddress, Source: tunnel.OpenVPNServerAddress,
		facts: map[string]string{"tunnel packet size": fmt.Sprintf("%d bytes at most, the path MTU", way.PacketBytes)},
		judge: func(reports []probe.ProcessReport) (map[string]string, error) { return judgeOpenVPN(way, reports) },
	}
	server := probe.LoadSpec{Timeout: spec.Life, Processes: []probe.Process{
		{Argv: tunnel.OpenVPNArgv(), Stdin: tunnel.WithCredentials(way.ServerConfig(), serverKey)}}}
	if way.Protocol == tunnel.OverUDP {
		server.ListenUDP = []int{way.Port}
	} else {
		server.Listen = []int{way.Port}
	}
	client := probe.LoadSpec{Timeout: spec.Life, Processes: []probe.Process{
		{Argv: tunnel.OpenVPNArgv(), Stdin: tunnel.WithCredentials(way.ClientConfig(), clientKey)}}}
	d, err := b.startDaemon(ctx, "openvpn-server", pair.Client, server)
	if err != nil {
		return nil, err
	}
	t.daemons = append(t.daemons, d)
	if d, err = b.startDaemon(ctx, "openvpn-client", pair.Server, client); err != nil {
		t.Close()
		return nil, err
	}
	t.daemons = append(t.daemons, d)
	return t, nil
}

// judgeOpenVPN reads the programs' logs: which version and cipher it was. A
// cipher that nobody asked for is an error.
func judgeOpenVPN(way tunnel.OpenVPN, reports []probe.ProcessReport) (map[string]string, error) {
	facts := map[string]string{}
	for i, p := range reports {
		said := tunnel.ParseOpenVPN(p.Stdout)
		if said.NoDevice != "" {
			return nil, &UnsupportedError{"pods cannot have a TUN device here: " + said.NoDevice}
		}
		if said.Cipher != way.Cipher {
			return nil, fmt.Errorf("openvpn %s says that its cipher is %q, not %s", []string{"server", "client"}[i], said.Cipher, way.Cipher)
		}
		facts["tunnel"] = fmt.Sprintf("OpenVPN %s, %s, %s, in user space", said.Version, way.Protocol, said.Cipher)
	}
	return facts, nil
}
