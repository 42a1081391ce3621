//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netns"

	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/rtt"
	"github.com/cnibench/cnibench/internal/probe/rtt/witness"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
	"github.com/cnibench/cnibench/internal/stage"
)

// Round trips that eBPF counts at a node's card, behind VXLAN, and in a pod,
// agree with packet sockets at the same places.
func TestRTT(t *testing.T) {
	leavesNothing(t)
	downAtEnd(t, "e2e-rtt")
	mustRun(t, "lab", "up", "e2e-rtt", "--nodes", "2")
	testRTT(t, "e2e-rtt", "flannel-vxlan", true)
}

// The same beside Cilium's own programs. Its socket programs put the server's
// address in the Service's place before a packet is made.
func TestCiliumRTT(t *testing.T) {
	leavesNothing(t)
	downAtEnd(t, "e2e-crtt")
	mustRun(t, "lab", "up", "e2e-crtt", "--nodes", "2", "--variant", "cilium-kpr")
	testRTT(t, "e2e-crtt", "cilium-kpr", false)
}

func testRTT(t *testing.T, name, variant string, translatedByNode bool) {
	c, entry, s := newStage(t, name, variant)
	pair, err := s.Pair(t.Context(), stage.Ends{Placement: stage.CrossNode})
	if err != nil {
		t.Fatal(err)
	}
	bench := func() *stage.Bench {
		return &stage.Bench{Cluster: c, Entry: entry, Stage: s, Raw: t.TempDir()}
	}
	t.Run("agrees", func(t *testing.T) {
		undo, err := witness.StampAtHandover()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := undo(); err != nil {
				t.Error(err)
			}
		})
		places := []place{
			{rtt.Tap{Name: "nic", Interface: "eth0"}, processIn(t, "/cnibench/"+name+"/"+pair.Client.Node+"/init")},
			{rtt.Tap{Name: "pod", Interface: "eth0"}, processIn(t, "pod"+pair.Client.UID)},
		}
		flows := []rtt.Flow{
			{Label: "service", There: rtt.End{Addresses: lab.Config{}.ServiceCIDRs()[0].String()}},
			{Label: "server", There: rtt.End{Addresses: pair.Server.IP}},
		}
		// A machine that is busy with something else may tell the two apart:
		// three attempts, since what is wrong is wrong every time.
		var wrong error
		for range 3 {
			seen := watched(t, places, flows, func() {
				measure(t, bench(), "tcp-rr", parameter.Values{"path": "cluster-ip", "duration": "3s", "rate": "1000", "connections": "4"})
			})
			if wrong = compareRTT(t, seen, pair, translatedByNode); wrong == nil {
				return
			}
			t.Log(wrong)
		}
		t.Error(wrong)
	})
	t.Run("scenario", func(t *testing.T) {
		b := bench()
		m := measure(t, b, "tcp-service-single", parameter.Values{"duration": "3s", "omit": "1s", "nic-rtt": "true"})
		i := slices.IndexFunc(m.Values, func(v result.Value) bool { return v.Name == "nic-rtt-p50" })
		if i < 0 || m.Values[i].Value <= 0 || m.Values[i].Value > 10 {
			t.Fatalf("values are %+v, missing %v; %s", m.Values, m.Missing, m.Facts["nic-rtt"])
		}
		t.Logf("p50 %v; %s", time.Duration(m.Values[i].Value*float64(time.Second)), m.Facts["nic-rtt"])
		for _, file := range []string{"nic-rtt.hlog", "nic-rtt-" + pair.Client.Node + ".json"} {
			if info, err := os.Stat(filepath.Join(b.Raw, file)); err != nil || info.Size() < 100 {
				t.Errorf("evidence %s: %v, %v", file, info, err)
			}
		}
	})
}

// place is where both a program and a packet socket watch.
type place struct {
	tap     rtt.Tap
	process int // of its network namespace
}

type seenAt struct {
	rtt.Observed
	packets []witness.Packet
}

// stragglers is the share of a connection's segments that may pass a node as
// the pod sent them: the last ones of a connection that connection tracking has
// forgotten are of no Service to it.
const stragglers = 0.001

// compareRTT holds what programs counted against packet sockets. A filter on
// Services' addresses finds no round trip at the card: whoever carries the
// Service has put the server's address in its place before.
func compareRTT(t *testing.T, seen map[string]seenAt, pair stage.Pair, translatedByNode bool) error {
	t.Helper()
	counts := func(place, label string) rtt.Counts {
		f, ok := seen[place].Flow(label)
		if !ok {
			t.Fatalf("nothing is reported of %s at the %s", label, place)
		}
		return f.Counts
	}
	label := "server"
	if translatedByNode {
		label = "service"
	}
	untranslated, carried, sent := counts("nic", "service"), counts("nic", "server"), counts("pod", label)
	if untranslated.Matched != 0 || float64(untranslated.Segments) > stragglers*float64(carried.Segments) ||
		carried.Matched == 0 || sent.Matched == 0 {
		t.Fatalf("at the card: %+v of Services' addresses, %+v of the server's; in the pod: %+v of the %s's",
			untranslated, carried, sent, label)
	}
	services := lab.Config{}.ServiceCIDRs()[0]
	server := netip.MustParseAddr(pair.Server.IP)
	var wrong []error
	for place, label := range map[string]string{"nic": "server", "pod": label} {
		wanted := func(_, to netip.AddrPort) bool {
			return label == "server" && to.Addr() == server || label == "service" && services.Contains(to.Addr())
		}
		f, _ := seen[place].Flow(label)
		figures, err := witness.Agree(f.Between(time.Time{}, time.Time{}, rtt.Egress), witness.Trips(seen[place].packets, true, wanted))
		t.Logf("%s (%s, %d packets tunnelled): %s", place, seen[place].Hook, seen[place].Totals.Tunnelled, figures)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", place, err))
		}
	}
	return errors.Join(wrong...)
}

// watched runs traffic while all places are watched.
func watched(t *testing.T, places []place, flows []rtt.Flow, traffic func()) map[string]seenAt {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	type outcome struct {
		report rtt.Report
		err    error
	}
	var sockets []*witness.Socket
	var ended []chan outcome
	for _, p := range places {
		socket, end, ready := make(chan *witness.Socket, 1), make(chan outcome, 1), make(chan struct{})
		go func() {
			runtime.LockOSThread() // and never unlock: it is in another namespace
			var o outcome
			defer func() { end <- o }()
			var s *witness.Socket
			if s, o.err = enterAndWatch(p); o.err != nil {
				return
			}
			socket <- s
			spec := rtt.Spec{Taps: []rtt.Tap{p.tap}, Flows: flows, Interval: time.Second}
			o.report, o.err = rtt.Run(ctx, spec, func(rtt.Ready) error { close(ready); return nil })
		}()
		select {
		case <-ready:
		case o := <-end:
			t.Fatal(o.err)
		}
		sockets, ended = append(sockets, <-socket), append(ended, end)
	}
	traffic()
	stop()
	seen := map[string]seenAt{}
	for i, p := range places {
		o := <-ended[i]
		packets, err := sockets[i].Packets()
		if err = errors.Join(o.err, err); err != nil {
			t.Fatal(err)
		}
		if o.report.Unsupported != "" {
			t.Fatalf("the kernel of labs is to measure round trips: %s", o.report.Unsupported)
		}
		seen[p.tap.Name] = seenAt{o.report.Devices[0], packets}
	}
	return seen
}

func enterAndWatch(p place) (*witness.Socket, error) {
	handle, err := netns.GetFromPid(p.process)
	if err != nil {
		return nil, err
	}
	defer func() { _ = handle.Close() }() // only entered
	if err := netns.Set(handle); err != nil {
		return nil, err
	}
	return witness.Watch(p.tap.Interface)
}

// processIn finds a process of this machine by a part of its control group's
// name.
func processIn(t *testing.T, group string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), group) {
			return int(number(t, filepath.Base(filepath.Dir(file))))
		}
	}
	t.Fatalf("no process is in a control group %s", group)
	return 0
}

// measure runs a scenario once, with its defaults where nothing else is said.
func measure(t *testing.T, b *stage.Bench, name string, changed parameter.Values) stage.Measurement {
	t.Helper()
	s, err := scenario.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	values := parameter.Values{}
	for _, p := range s.Parameters {
		values[p.Name] = p.Defaults()[0]
		if text, ok := changed[p.Name]; ok {
			values[p.Name] = text
		}
	}
	m, err := s.Measure(t.Context(), b, plan.Cell{ID: name, Scenario: name, Parameters: values})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
