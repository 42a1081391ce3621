package cni

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/capture"
)

// What is sent to see what travels: enough for a clear majority among foreign
// packets, little enough for a tenth of a second.
const (
	canaryBytes     = 32
	canaryDatagrams = 200
	canaryMessages  = 50
	messageBytes    = 1000 // fits into every path MTU that pods can work with
	answerWait      = 300 * time.Millisecond
	burstTimeout    = 10 * time.Second
	captureTimeout  = 30 * time.Second
)

// wire shows what travels between the nodes while the pods send each other a
// canary, a random string: in which tunnel, and whether in plain text. Where
// the canary can be expected in plain text its sight also shows that the
// capture would find it.
func (p Prover) wire(ctx context.Context, proof *Proof) error {
	b, w, err := p.observe(ctx)
	if isUnknown(err) { // the machine was busy
		b, w, err = p.observe(ctx)
	}
	if err == nil {
		err = judgeWire(p.Entry, b.sameSubnet(), w)
	}
	if err == nil {
		proof.Wire = &w
		return nil
	}
	var failed *captureError
	if errors.As(err, &failed) {
		return err
	}
	files, keepErr := p.keepCaptures(b)
	if keepErr != nil {
		err = errors.Join(err, keepErr)
	}
	return disproof(ctx, "wire", err, files...)
}

// captureError says that the proof could not be tried.
type captureError struct{ error }

func (e *captureError) Unwrap() error { return e.error }

func (p Prover) observe(ctx context.Context) (burst, Wire, error) {
	b, err := p.burst(ctx)
	if err != nil {
		return b, Wire{}, &captureError{fmt.Errorf("proving the datapath: wire: %w", err)}
	}
	w, err := observeWire(b)
	return b, w, err
}

// burst sends canaries while both nodes' links are captured.
func (p Prover) burst(ctx context.Context) (burst, error) {
	ctx, cancel := context.WithTimeout(ctx, captureTimeout+burstTimeout)
	defer cancel()
	const headers4, headers6 = 20 + 8, 40 + 8 // of IP and UDP
	canary := make([]byte, canaryBytes)
	if _, err := rand.Read(canary); err != nil {
		return burst{}, err
	}
	b := burst{size: messageBytes + headers4}
	var err error
	if b.nodes, err = p.ends(ctx); err != nil {
		return b, err
	}
	if b.nodes[0].pod.Is6() {
		b.size = messageBytes + headers6
	}
	var captures [2]*session
	for i, end := range b.nodes {
		if captures[i], err = p.capture(ctx, end, b.spec(end, canary)); err != nil {
			return b, err
		}
		defer captures[i].end()
	}
	if b.sent, err = p.send(ctx, canary); err != nil {
		return b, err
	}
	for i, s := range captures {
		s.closeInput()
		if err := s.read(probe.FrameCapture, &b.reports[i]); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (b burst) spec(end nodeEnd, canary []byte) capture.Spec {
	return capture.Spec{
		Address: end.node, Canary: canary, Timeout: captureTimeout,
		Between: [][2]netip.Addr{{b.nodes[0].node, b.nodes[1].node}, {b.nodes[0].pod, b.nodes[1].pod}},
	}
}

func (b burst) sameSubnet() bool { return b.reports[0].Prefix.Contains(b.nodes[1].node) }

// capture starts watching a node's link and returns when it watches.
func (p Prover) capture(ctx context.Context, end nodeEnd, spec capture.Spec) (*session, error) {
	s, err := open(ctx, "capture on "+end.name, onNode(p.Cluster, end.name), "capture", spec)
	if err != nil {
		return nil, err
	}
	var ready capture.Ready
	if err := s.read(probe.FrameReady, &ready); err != nil {
		return nil, err
	}
	return s, nil
}

func (p Prover) send(ctx context.Context, canary []byte) (probe.CanarySent, error) {
	spec, err := json.Marshal(probe.CanarySpec{
		Host: p.Server.IP, Port: p.EchoPort, Canary: canary, Datagrams: canaryDatagrams, Messages: canaryMessages,
		Bytes: messageBytes, Wait: answerWait, Timeout: burstTimeout,
	})
	if err != nil {
		return probe.CanarySent{}, err
	}
	var sent probe.CanarySent
	err = ask(ctx, p.Cluster, p.Client, probe.FrameCanary, &sent, bytes.NewReader(append(spec, '\n')), "canary")
	return sent, err
}

// ends looks up the addresses of both ends and their nodes.
func (p Prover) ends(ctx context.Context) (ends [2]nodeEnd, err error) {
	nodes, err := p.Cluster.Nodes(ctx)
	if err != nil {
		return ends, err
	}
	addresses := map[string]string{}
	for _, n := range nodes {
		addresses[n.Name] = n.Address
	}
	ends[0].name, ends[1].name = p.Client.Node, p.Server.Node
	for i, ip := range []string{p.Client.IP, p.Server.IP} {
		if ends[i].pod, err = netip.ParseAddr(ip); err != nil {
			return ends, fmt.Errorf("address of a pod on %s: %w", ends[i].name, err)
		}
		if ends[i].node, err = netip.ParseAddr(addresses[ends[i].name]); err != nil {
			return ends, fmt.Errorf("address of node %s: %w", ends[i].name, err)
		}
	}
	return ends, nil
}

// keepCaptures writes samples of what was seen, for people to look at.
func (p Prover) keepCaptures(b burst) (files []string, err error) {
	dir := p.Evidence
	if dir == "" {
		dir, err = os.MkdirTemp("", "cnibench-proof-")
	} else {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("keeping evidence: %w", err)
	}
	for i, report := range b.reports {
		if len(report.Pcap) == 0 {
			continue
		}
		file := filepath.Join(dir, b.nodes[i].name+"-"+report.Interface+".pcap")
		if err := os.WriteFile(file, report.Pcap, 0o644); err != nil {
			return files, fmt.Errorf("keeping evidence: %w", err)
		}
		files = append(files, file)
	}
	return files, nil
}
