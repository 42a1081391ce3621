package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// Paths by which a client reaches a server: the choices of the parameter path.
const (
	PodIP       = "pod-ip"       // the pod's own address, or its node's for an end on the host
	ClusterIP   = "cluster-ip"   // a Service's virtual address
	ServiceName = "service-name" // the same Service by its name, through the cluster's DNS
	// NodePort is a port of the server's node, or of the node at which the
	// traffic of a client outside enters.
	NodePort     = "node-port"
	LoadBalancer = "load-balancer" // an address of a Service of type LoadBalancer
	Headless     = "headless"      // the server's own address, by the name of a Service without one
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
	// enters is the node at which a client outside enters the cluster; empty
	// where that is not known, and for others.
	enters string
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
		if err := s.provePodIP(ctx, pair, a, ports); err != nil {
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

// outsideTimeout bounds the wait for a server's own address to answer a client
// outside: the server echoes by then, and a route is there or is not.
const outsideTimeout = 10 * time.Second

// provePodIP proves the server's own address. That nobody outside has a way to
// a pod is how most clusters are.
func (s *Stage) provePodIP(ctx context.Context, pair Pair, a Address, ports Ports) error {
	if !pair.Outside() {
		return s.proveAddress(ctx, pair, a, ports, PodTimeout)
	}
	err := s.proveAddress(ctx, pair, a, ports, outsideTimeout)
	var unreached *unreachedError
	if errors.As(err, &unreached) && pair.Ends.Server != OnHost {
		return &UnsupportedError{fmt.Sprintf("addresses of pods are not reached from outside this cluster: %v", err)}
	}
	return err
}

// proveAddress returns when the server's echo answers at the address. Where
// nothing gets there, the error has an [*unreachedError].
func (s *Stage) proveAddress(ctx context.Context, pair Pair, a Address, ports Ports, patience time.Duration) error {
	client := clientEnd(s.cluster, pair)
	return cluster.Until(ctx, patience, "an echo from "+a.HostPort(EchoPort), func(ctx context.Context) error {
		if _, err := reachFrom(ctx, client, a); err != nil || !ports.UDP {
			return err
		}
		return reachUDP(ctx, client.Run, a)
	})
}

// unreachedError is the network's answer, not a failure to ask it.
type unreachedError struct {
	from  string
	reach probe.Reach
}

func (e *unreachedError) Error() string {
	return fmt.Sprintf("%s from %s: %s %s", e.reach.Target, e.from, e.reach.Reason, e.reach.Error)
}

// reachFrom connects to the echo server once.
func reachFrom(ctx context.Context, end LoadEnd, a Address) (probe.Reach, error) {
	var r probe.Reach
	if err := ask(ctx, end.Run, probe.FrameReach, &r, "reach", "tcp", a.HostPort(EchoPort), "--timeout", "2s"); err != nil {
		return r, err
	}
	if !r.Reached {
		return r, &unreachedError{end.Name, r}
	}
	return r, nil
}

// smallPacket is the size of the IP packet that proves that UDP comes through:
// any path carries it.
const smallPacket = 128

// reachUDP sends a datagram to the echo server and waits for it.
func reachUDP(ctx context.Context, client Runner, a Address) error {
	size := strconv.Itoa(smallPacket)
	argv := []string{"reach", "mtu", a.Host, "--port", strconv.Itoa(a.Port(EchoPort)), "--min", size, "--max", size}
	var stderr bytes.Buffer
	if err := client(ctx, argv, nil, io.Discard, &stderr); err != nil {
		return fmt.Errorf("no echo of UDP from %s: %w: %s", a.HostPort(EchoPort), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return nil
}
