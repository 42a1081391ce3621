package stream

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Sender sends trials to one address. Make it with [NewSender].
type Sender struct {
	spec    SendSpec
	target  netip.AddrPort
	payload int
	ready   SendReady
	fds     []int
}

// NewSender opens a socket for every stream.
func NewSender(ctx context.Context, spec SendSpec) (*Sender, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	host, err := resolve(ctx, spec.Host)
	if err != nil {
		return nil, err
	}
	payload, err := payloadOf(spec.Size, host.Is6())
	if err != nil {
		return nil, err
	}
	s := &Sender{spec: spec, target: netip.AddrPortFrom(host, uint16(spec.Ports[0])), payload: payload}
	for _, port := range spec.Ports {
		fd, err := connect(netip.AddrPortFrom(host, uint16(port)), spec.Buffer)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.fds = append(s.fds, fd)
	}
	if s.ready, err = s.describe(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Ready describes the path as the sender sees it.
func (s *Sender) Ready() SendReady { return s.ready }

// Close closes the sockets.
func (s *Sender) Close() error {
	var failed error
	for _, fd := range s.fds {
		failed = errors.Join(failed, unix.Close(fd))
	}
	s.fds = nil
	return failed
}

func (s *Sender) describe() (SendReady, error) {
	fd, level, option := s.fds[0], unix.IPPROTO_IP, unix.IP_MTU
	if s.target.Addr().Is6() {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_MTU
	}
	mtu, err := unix.GetsockoptInt(fd, level, option)
	if err != nil {
		return SendReady{}, fmt.Errorf("reading the MTU of the path to %s: %w", s.target, err)
	}
	buffer, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF)
	if err != nil {
		return SendReady{}, fmt.Errorf("reading the size of a send buffer: %w", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return SendReady{}, fmt.Errorf("reading the address of a socket: %w", err)
	}
	var local netip.AddrPort
	switch a := name.(type) {
	case *unix.SockaddrInet4:
		local = netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	case *unix.SockaddrInet6:
		local = netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port))
	}
	device, err := deviceOf(local.Addr())
	if err != nil {
		return SendReady{}, err
	}
	return SendReady{Local: local.String(), Remote: s.target.String(), MTU: mtu, Link: device, Buffer: buffer}, nil
}

// Trial sends the datagrams of one trial and reports when the last one is
// gone. It fails when the network refuses them: nobody listens, they do not
// fit, a rule forbids them. When ctx ends it stops.
func (s *Sender) Trial(ctx context.Context, order SendOrder) (Sent, error) {
	if err := order.Validate(); err != nil {
		return Sent{}, err
	}
	before, err := linkCounts(s.ready.Link)
	if err != nil {
		return Sent{}, err
	}
	share := order
	share.PerSecond /= float64(len(s.fds))
	var streams sync.WaitGroup
	sent, failed := make([]Sent, len(s.fds)), make([]error, len(s.fds))
	start := time.Now()
	for i, fd := range s.fds {
		streams.Go(func() {
			// A thread of its own, for its timer and its CPU time. It is never
			// unlocked, so that it ends with its timer's slack.
			runtime.LockOSThread()
			o := outlet{fd: fd, key: s.spec.Key, trial: share.Trial, start: start, batch: newBatch(batchSize, s.payload), persist: share.Persist}
			o.pacer = newPacer(share.PerSecond, share.Duration)
			sent[i], failed[i] = o.run(ctx)
		})
	}
	streams.Wait()
	if err := errors.Join(failed...); err != nil {
		return Sent{}, fmt.Errorf("sending to %s: %w", s.target, err)
	}
	all := Sent{Trial: order.Trial, Start: start.UTC()}
	for _, one := range sent {
		all.add(one)
	}
	after, err := linkCounts(s.ready.Link)
	all.Link = after.since(before)
	return all, err
}

// add sums up streams that ran at once.
func (s *Sent) add(o Sent) {
	s.Planned += o.Planned
	s.Sent += o.Sent
	s.Refused += o.Refused
	s.Pauses = append(s.Pauses, o.Pauses...)
	s.Late += o.Late
	s.Blocked += o.Blocked
	s.Took, s.Latest, s.PutOff = max(s.Took, o.Took), max(s.Latest, o.Latest), max(s.PutOff, o.PutOff)
	s.LongestBurst, s.Busy = max(s.LongestBurst, o.LongestBurst), max(s.Busy, o.Busy)
}
