package stage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
)

// Paths by which a client reaches a server: the choices of the parameter path.
const (
	PodIP       = "pod-ip"       // the pod's own address, or its node's for an end on the host
	ClusterIP   = "cluster-ip"   // a Service's virtual address
	ServiceName = "service-name" // the same Service by its name, through the cluster's DNS
	NodePort    = "node-port"    // a port of the server's node
	Headless    = "headless"     // the server's own address, by the name of a Service without one
)

// Ports are consecutive ports that a server listens on, with the protocols
// that a Service in front of it is to carry.
type Ports struct {
	First, Count int
	UDP          bool // TCP and UDP; otherwise TCP alone
}

// Address is where a client finds a server. It is comparable by its text.
type Address struct {
	Host string // an IP address or a name
	// translated are the ports by which a client reaches those of the server
	// that have another number outside.
	Translated map[int]int
}

// Port returns the port that leads to a port of the server.
func (a Address) Port(server int) int {
	if p, ok := a.Translated[server]; ok {
		return p
	}
	return server
}

// HostPort returns host and port as dialers take them.
func (a Address) HostPort(server int) string {
	return net.JoinHostPort(a.Host, strconv.Itoa(a.Port(server)))
}

// addressKey says what an address leads to.
type addressKey struct {
	client, server, path, family string
	ports                        Ports
}

// Address returns where the pair's client reaches the server's ports by a
// path. It makes the Service that the path needs, and proves once that TCP,
// and UDP where it is asked for, come through. A path that the cluster cannot
// have is an [*UnsupportedError].
func (s *Stage) Address(ctx context.Context, pair Pair, path string, ports Ports) (Address, error) {
	key := addressKey{pair.Client.UID, pair.Server.UID, path, pair.Ends.Family, ports}
	if a, ok := s.addresses[key]; ok {
		return a, nil
	}
	a := Address{Host: pair.Server.IP}
	if path == PodIP {
		if err := s.proveAddress(ctx, pair, a, ports); err != nil {
			return Address{}, err
		}
	} else {
		var err error
		if a, err = s.serviceAddress(ctx, pair, path, ports); err != nil {
			return Address{}, err
		}
	}
	s.addresses[key] = a
	return a, nil
}

// proveAddress returns when the server's echo answers at the address.
func (s *Stage) proveAddress(ctx context.Context, pair Pair, a Address, ports Ports) error {
	return cluster.Until(ctx, PodTimeout, "an echo from "+a.HostPort(EchoPort), func(ctx context.Context) error {
		if err := cni.Reach(ctx, s.cluster, pair.Client, a.Host, a.Port(EchoPort)); err != nil || !ports.UDP {
			return err
		}
		return s.reachUDP(ctx, pair.Client, a)
	})
}

// smallPacket is the size of the IP packet that proves that UDP comes through:
// any path carries it.
const smallPacket = 128

// reachUDP sends a datagram to the echo server and waits for it.
func (s *Stage) reachUDP(ctx context.Context, client cluster.Pod, a Address) error {
	size := strconv.Itoa(smallPacket)
	argv := []string{"cnibench-probe", "reach", "mtu", a.Host, "--port", strconv.Itoa(a.Port(EchoPort)), "--min", size, "--max", size}
	var stderr bytes.Buffer
	if err := s.cluster.Exec(ctx, client, argv, nil, io.Discard, &stderr); err != nil {
		return fmt.Errorf("no echo of UDP from %s: %w: %s", a.HostPort(EchoPort), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return nil
}
