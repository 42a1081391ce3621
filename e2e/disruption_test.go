//go:build e2e

package e2e

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/cni/charts"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe/gap"
	"github.com/cnibench/cnibench/internal/probe/rtt"
	"github.com/cnibench/cnibench/internal/probe/rtt/witness"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// A restart of Flannel's agent does not interrupt what the kernel forwards. It
// does when the tunnel's device goes with the agent: the new agent makes it
// again, and until then nothing passes. The gap that the scenario sees is that
// of a packet capture in the receiving pod, to 10 ms.
func TestScenariosDisruption(t *testing.T) {
	leavesNothing(t)
	const name = "e2e-disruption"
	downAtEnd(t, name)
	mustRun(t, "lab", "up", name, "--nodes", "2")
	c, entry, s := newStage(t, name, "flannel-vxlan")
	pair, err := s.Pair(t.Context(), stage.Ends{Placement: stage.CrossNode})
	if err != nil {
		t.Fatal(err)
	}
	b := &stage.Bench{Cluster: c, Entry: entry, Stage: s, Raw: t.TempDir()}
	capture := captureIn(t, pair.Server)
	cut := cutWithAgent(t, c, entry, pair.Client.Node)
	m := measure(t, b, "disruption", parameter.Values{"event": "agent-restart", "node": "client", "before": "1s", "duration": "12s"})
	if err := <-cut; err != nil {
		t.Fatal(err)
	}
	packets, err := capture.Packets()
	if err != nil {
		t.Fatal(err)
	}
	trial := result.Trial{Values: m.Values, Facts: m.Facts}
	longest, _ := trial.Value("longest-gap")
	lost, _ := trial.Value("packets-lost")
	ready, timed := trial.Value("ready-again")
	if _, has := trial.Value("pod-start-delay"); !has || !timed || ready.Value <= 0 || lost.Value < 1 {
		t.Errorf("values %v, missing %v", m.Values, m.Missing)
	}
	// The capture does not know what of the silence was the sender's own.
	seen := longest.Value + pausedBy(t, b.Raw, longest.Value)
	captured := longestSilence(t, packets) - time.Millisecond // the packets' interval
	t.Logf("the scenario saw %.6f s, the capture %.6f s; facts %v", seen, captured.Seconds(), m.Facts)
	if off := seen - captured.Seconds(); off < -0.010 || off > 0.010 || captured < 20*time.Millisecond {
		t.Errorf("the scenario saw a gap of %.6f s, and the capture one of %.6f s", seen, captured.Seconds())
	}
	upgradeInPlace(t, name, b)
}

// upgradeInPlace rolls Flannel out anew under a stream: every node has a new
// agent then, and the cluster the manifests that it had.
func upgradeInPlace(t *testing.T, name string, b *stage.Bench) {
	t.Helper()
	b.Installation.Manifests = manifestsOf(t, b)
	old := agentsOf(t, b)
	template := []string{"lab", "kubectl", name, "--", "-n", "kube-flannel", "get", "ds", "kube-flannel-ds", "-o", "jsonpath={.spec.template}"}
	before := mustRun(t, template...).stdout
	m := measure(t, b, "disruption", parameter.Values{"event": "upgrade", "before": "1s", "duration": "15s"})
	trial := result.Trial{Values: m.Values, Facts: m.Facts}
	if _, timed := trial.Value("ready-again"); !timed || m.Facts["from"] != b.Entry.Version || m.Facts["to"] != "same" || m.Facts["put back"] == "" {
		t.Errorf("values %v, facts %v", m.Values, m.Facts)
	}
	for _, p := range agentsOf(t, b) {
		if slices.ContainsFunc(old, func(o cluster.Pod) bool { return o.UID == p.UID }) {
			t.Errorf("agent %s was never replaced", p.Name)
		}
	}
	if after := mustRun(t, template...).stdout; after != before {
		t.Errorf("the agents were\n%s\nand are\n%s", before, after)
	}
	if inv, found, err := cni.Installed(t.Context(), b.Cluster); err != nil || !found || !inv.Complete {
		t.Errorf("the inventory is there: %t, complete: %t, %v", found, inv.Complete, err)
	}
}

// manifestsOf are those that a lab's variant is installed from.
func manifestsOf(t *testing.T, b *stage.Bench) cni.Manifests {
	t.Helper()
	kit, err := lab.Supply(t.Context(), func(supply.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.Entry.Render(t.Context(), charts.Kit(kit.Charts), b.Cluster.Site())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func agentsOf(t *testing.T, b *stage.Bench) []cluster.Pod {
	t.Helper()
	agents, err := cni.Agents(t.Context(), b.Cluster, b.Entry)
	if err != nil {
		t.Fatal(err)
	}
	return agents
}

// captureIn watches the link of a load pod.
func captureIn(t *testing.T, pod cluster.Pod) *witness.Socket {
	t.Helper()
	socket, failed := make(chan *witness.Socket, 1), make(chan error, 1)
	at := place{process: processIn(t, pod.UID), tap: rtt.Tap{Interface: "eth0"}}
	go func() {
		runtime.LockOSThread() // and never unlock: it is in another namespace
		s, err := enterAndWatch(at)
		if err != nil {
			failed <- err
			return
		}
		socket <- s
	}()
	select {
	case s := <-socket:
		return s
	case err := <-failed:
		t.Fatal(err)
	}
	return nil
}

// cutWithAgent takes the tunnel's device from a node as soon as the agent that
// runs there now is being ended.
func cutWithAgent(t *testing.T, c *cluster.Cluster, entry cni.Entry, node string) <-chan error {
	t.Helper()
	old, err := cni.DataplaneOn(t.Context(), c, entry, node)
	if err != nil || len(old) != 1 {
		t.Fatalf("agents %v, %v", old, err)
	}
	cut := make(chan error, 1)
	go func() {
		cut <- cluster.Until(t.Context(), 2*time.Minute, "the device to go with its agent", func(ctx context.Context) error {
			now, err := cni.DataplaneOn(ctx, c, entry, node)
			if err == nil && len(now) == 1 && now[0].UID == old[0].UID {
				err = errors.New("the agent still runs")
			}
			if err != nil {
				return err
			}
			return c.RunOnNode(ctx, node, []string{"ip", "link", "delete", "flannel.1"}, nil, nil, nil)
		})
	}()
	return cut
}

// pausedBy returns how much of the gap of that length was the sender's pause,
// in seconds.
func pausedBy(t *testing.T, raw string, length float64) float64 {
	t.Helper()
	var kept struct {
		Network gap.Report `json:"network"`
	}
	text, err := os.ReadFile(filepath.Join(raw, "disruption.json"))
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range kept.Network.Gaps {
		if g.Length.Seconds() == length {
			return g.Paused.Seconds()
		}
	}
	t.Fatalf("no gap of %v s is kept: %+v", length, kept.Network)
	return 0
}

// longestSilence is the longest time between two datagrams for the stream's
// port that came in.
func longestSilence(t *testing.T, packets []witness.Packet) time.Duration {
	t.Helper()
	var last time.Time
	longest, count := time.Duration(0), 0
	for _, p := range packets {
		b := p.Data
		if p.Leaving || len(b) < 14+20 || binary.BigEndian.Uint16(b[12:]) != 0x0800 || b[14+9] != 17 {
			continue
		}
		udp := b[14+int(b[14]&15)*4:]
		if len(udp) < 8+16 || binary.BigEndian.Uint16(udp[2:]) != stage.FirstPort {
			continue
		}
		if !last.IsZero() {
			longest = max(longest, p.At.Sub(last))
		}
		last, count = p.At, count+1
	}
	if count < 100 {
		t.Fatalf("the capture has %d packets of the stream", count)
	}
	return longest
}

// checkDisruption wants the end of an event that a run does not take for an
// accident.
func checkDisruption(t *testing.T, trial result.Trial) {
	ready, timed := trial.Value("ready-again")
	if !timed || ready.Value <= 0 || trial.Values[0].Name != "longest-gap" {
		t.Errorf("values %v, missing %v", trial.Values, trial.Missing)
	}
}
