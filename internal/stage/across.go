package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
)

// Addresses by which a client in one cluster reaches a server in another,
// besides PodIP and NodePort.
const (
	// HostIP is the address of the server's node, in whose network the server
	// is.
	HostIP = "host"
	// PeerName is that address by a name: that of a Service in the client's
	// cluster which points at it.
	PeerName = "name"
)

// AcrossAddress chooses the address of a server in another cluster.
var AcrossAddress = parameter.Parameter{
	Name: "address", Kind: parameter.Choice, Default: []string{NodePort}, Choices: []string{NodePort, HostIP, PodIP, PeerName},
	Help: "by which address the client reaches the server: a port of its node, its node with the server in the node's network, its own, or its node by a name in the client's cluster",
}

// Across asks for the two ends of a load in two clusters.
type Across struct {
	Client  string // InPod or OnHost
	Address string // a choice of AcrossAddress
	Family  string // a choice of IPFamily
	Ports   Ports
}

// AcrossOf reads them from a scenario's parameters.
func AcrossOf(v parameter.Values, ports Ports) Across {
	return Across{v.Text(ClientEnd.Name), v.Text(AcrossAddress.Name), v.Text(IPFamily.Name), ports}
}

// server is where the server of an address runs.
func (a Across) server() string {
	if a.Address == HostIP || a.Address == PeerName {
		return OnHost
	}
	return InPod
}

// NoPeer is why a campaign with one cluster has nothing between two.
const NoPeer = "the campaign has no second cluster: give it one by cluster.lab.peer or cluster.existing.peer"

// Between returns the two ends of a load whose server is in the peer's cluster,
// and where the client finds it, after proving that it does. Without a peer, or
// where the address leads nowhere, it is an [*UnsupportedError].
func (b *Bench) Between(ctx context.Context, a Across) (Pair, Address, error) {
	if b.Peer == nil {
		return Pair{}, Address{}, &UnsupportedError{NoPeer}
	}
	// The ends are those that have been made for loads within each cluster.
	here, err := b.Stage.Pair(ctx, Ends{Client: a.Client, Placement: CrossNode, Family: a.Family})
	if err != nil {
		return Pair{}, Address{}, err
	}
	there, err := b.Peer.Stage.Pair(ctx, Ends{Server: a.server(), Placement: CrossNode, Family: a.Family})
	if err != nil {
		return Pair{}, Address{}, fmt.Errorf("in the second cluster: %w", err)
	}
	pair := Pair{Client: here.Client, Server: there.Server, Ends: Ends{Client: here.Ends.Client, Server: there.Ends.Server, Placement: CrossNode, Family: there.Ends.Family}}
	address, err := b.Stage.addressIn(ctx, b.Peer.Stage, pair, a)
	return pair, address, err
}

// addressIn returns where the client reaches a server that is on another
// cluster's stage, and proves it once.
func (s *Stage) addressIn(ctx context.Context, peer *Stage, pair Pair, a Across) (Address, error) {
	key := addressKey{pair.Client.UID, pair.Server.UID, "across by " + a.Address, pair.Ends.Family, a.Ports}
	if found, ok := s.addresses[key]; ok {
		return found, nil
	}
	var found Address
	var err error
	switch a.Address {
	case PodIP, HostIP:
		found = Address{Host: pair.Server.IP}
		err = s.proveAcross(ctx, pair, found, a)
	case NodePort:
		found, err = s.nodePortIn(ctx, peer, pair, a)
	case PeerName:
		found, err = s.nameOf(ctx, pair, a)
	default:
		err = fmt.Errorf("there is no address %q", a.Address)
	}
	if err != nil {
		return Address{}, err
	}
	s.addresses[key] = found
	return found, nil
}

// nodePortIn makes a Service in the server's cluster and proves it from the
// client's.
func (s *Stage) nodePortIn(ctx context.Context, peer *Stage, pair Pair, a Across) (Address, error) {
	if err := peer.carries(ctx, NodePort); err != nil {
		return Address{}, fmt.Errorf("in the second cluster: %w", err)
	}
	svc, err := peer.makeService(ctx, familyOf(service(pair.Server.Name, NodePort, a.Ports), pair.Ends.Family))
	if err != nil {
		return Address{}, fmt.Errorf("in the second cluster: %w", err)
	}
	address, err := peer.addressOf(ctx, svc, pair, NodePort)
	if err == nil {
		err = s.proveAcross(ctx, pair, address, a)
	}
	if err != nil {
		return Address{}, errors.Join(err, peer.dropService(ctx, svc))
	}
	return address, nil
}

// acrossTimeout bounds the proof that a server in another cluster answers. Both
// ends have carried load before, so that what is not there after it is not on
// its way: clusters need not route to each other's pods.
const acrossTimeout = 15 * time.Second

// proveAcross is an [*UnsupportedError] if the server does not answer the client.
func (s *Stage) proveAcross(ctx context.Context, pair Pair, to Address, a Across) error {
	err := s.proveAddress(ctx, pair, to, a.Ports, acrossTimeout)
	var unreached *unreachedError
	if errors.As(err, &unreached) {
		return &UnsupportedError{fmt.Sprintf("no way leads from the first cluster to the second by address %s: %v", a.Address, err)}
	}
	return err
}
