package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Metrics of mtu. Sizes are exact: a byte is a difference.
var (
	pathMTU = result.Metric{Name: "path-mtu", Unit: "bytes", Better: result.Higher, Scale: result.Difference, Margin: 1,
		Help: "largest IP packet that went to the server and came back with the don't-fragment bit"}
	pathMTUForward = result.Metric{Name: "path-mtu-forward", Unit: "bytes", Better: result.Higher, Scale: result.Difference, Margin: 1,
		Help: "largest IP packet that reached the server with the don't-fragment bit; answers were small"}
	pathMTUReverse = result.Metric{Name: "path-mtu-reverse", Unit: "bytes", Better: result.Higher, Scale: result.Difference, Margin: 1,
		Help: "largest IP packet that came from the server with the don't-fragment bit; questions were small"}
	routeMTU = result.Metric{Name: "route-mtu", Unit: "bytes", Better: result.Higher, Scale: result.Difference, Margin: 1,
		Help: "largest IP packet that the client's kernel sends by its route, which connections follow"}
	mtuDifference = result.Metric{Name: "mtu-difference", Unit: "bytes", Better: result.Higher, Scale: result.Difference, Margin: 1,
		Help: "the smaller of path-mtu and route-mtu, less what the variant's encapsulation leaves of the link; 0 is as expected"}
	tcpMSS = result.Metric{Name: "tcp-mss", Unit: "bytes", Better: result.Higher, Scale: result.Difference, Margin: 1,
		Help: "most payload in a TCP segment of the client's, its options taken off"}
)

// mtuDuration is about what the searches take.
const mtuDuration = 5 * time.Second

func init() {
	register(Scenario{
		Name:  "mtu",
		Title: "the largest packet that a path takes",
		Description: "UDP packets with the don't-fragment bit search the largest that passes: there and back, and each direction alone, with small packets the other way. " +
			"Beside it stands what the client's kernel believes (the route's MTU) and what TCP makes of it (the segment size of a connection). " +
			"What is expected is the MTU of the nodes' link less the bytes of the variant's encapsulation, as the catalog has them; it is known for paths between nodes, " +
			"of pods by their addresses and Services, and of hosts. A path that is not as expected is marked unexpected-mtu, with all numbers; one that takes less than its route promises is marked path-below-route: larger packets are lost, or answered by ICMP, from which connections learn. " +
			"Some plugins lower the route's MTU and not the interface's: a program that forces a larger packet on the path may then see it pass in fragments of the tunnel, so that path-mtu is above route-mtu. " +
			"A list in cluster.lab.mtu makes the link's MTU a dimension. There is no load, and no figures of the machines.",
		Metrics:    []result.Metric{pathMTU, pathMTUForward, pathMTUReverse, routeMTU, mtuDifference, tcpMSS},
		Parameters: []parameter.Parameter{stage.Placement, stage.AnyClient, stage.ServerEnd, stage.Path},
		Expected:   func(parameter.Values) time.Duration { return mtuDuration },
		Run:        measureMTU,
	})
}

func measureMTU(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	path := cell.Parameters.Text(stage.Path.Name)
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(cell.Parameters))
	if err != nil {
		return stage.Measurement{}, err
	}
	to, err := b.Stage.Address(ctx, pair, path, stage.Ports{First: stage.FirstPort, UDP: true})
	if err != nil {
		return stage.Measurement{}, err
	}
	start := time.Now().UTC()
	seen, err := b.SeekMTU(ctx, pair, to)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := b.KeepJSON("mtu.json", seen); err != nil {
		return stage.Measurement{}, err
	}
	m := evaluateMTU(seen, expectMTU(b.Entry, b.Cluster.Site().LinkMTU, pair.Ends, path))
	m.Window = result.Window{Start: start, End: time.Now().UTC()}
	m.Facts["client"], m.Facts["server"] = b.ClientEnd(pair).Words, b.ServerEnd(pair).Words
	m.Facts["address"] = to.HostPort(stage.EchoPort)
	for name, fact := range to.EntryFacts() {
		m.Facts[name] = fact
	}
	return m, nil
}

// expectedMTU is what a path is to take.
type expectedMTU struct {
	link, encapsulation int    // bytes
	why                 string // why nothing is expected
}

func (e expectedMTU) bytes() int { return e.link - e.encapsulation }

// expectMTU says what the catalog promises of the path between two ends, on a
// link whose MTU in bytes is 0 where it is not known.
func expectMTU(entry cni.Entry, link int, ends stage.Ends, path string) expectedMTU {
	e := expectedMTU{link: link, encapsulation: entry.Encapsulation.Bytes}
	host := ends.Client != stage.InPod
	switch {
	case e.link == 0:
		e.why = "the MTU of the nodes' link is not known"
	case ends.Placement == stage.SameNode:
		e.why = "what the catalog says is of paths between nodes"
	case host != (ends.Server == stage.OnHost):
		e.why = "the catalog says nothing of paths between pods and hosts"
	case path == stage.NodePort || path == stage.LoadBalancer:
		e.why = "the catalog says nothing of path " + path
	case host:
		e.encapsulation = 0
	case entry.Variant.Present:
		e.why = "nothing is said of a plugin that the cluster has already"
	}
	return e
}

// evaluateMTU makes the measurement of what was found and what was expected.
func evaluateMTU(seen stage.SeenMTU, want expectedMTU) stage.Measurement {
	m := stage.Measurement{Missing: map[string]string{}, Facts: map[string]string{
		"interface": fmt.Sprintf("%s, MTU %d", seen.Both.Interface, seen.Both.Device),
	}}
	m.Values = foundMTU(seen, m.Missing)
	if seen.Both.Route > seen.Both.Bytes && !seen.Both.AtLimit {
		m.Marks = append(m.Marks, result.Mark{Name: "path-below-route", Detail: fmt.Sprintf(
			"the client's route promises packets of %d bytes, but the path takes %d: larger ones are lost, or answered by ICMP, from which connections learn",
			seen.Both.Route, seen.Both.Bytes)})
	}
	if want.why != "" {
		m.Missing[mtuDifference.Name], m.Facts["expected MTU"] = want.why, "unknown: "+want.why
		return m
	}
	used := min(seen.Both.Bytes, seen.Both.Route)
	m.Values = append(m.Values, result.Value{Metric: mtuDifference, Value: float64(used - want.bytes())})
	m.Facts["expected MTU"] = fmt.Sprintf("%d: link %d, encapsulation %d", want.bytes(), want.link, want.encapsulation)
	if used != want.bytes() {
		m.Marks = append(m.Marks, result.Mark{Name: "unexpected-mtu", Detail: fmt.Sprintf(
			"packets of up to %d bytes pass as connections send them, expected %d (link %d, encapsulation %d; route %d, largest that passed %d)",
			used, want.bytes(), want.link, want.encapsulation, seen.Both.Route, seen.Both.Bytes)})
	}
	return m
}

// foundMTU is the figures of the searches and of the client's kernel; it says
// in missing what that did not tell.
func foundMTU(seen stage.SeenMTU, missing map[string]string) []result.Value {
	var values []result.Value
	for _, v := range []struct {
		metric  result.Metric
		bytes   int
		atLimit bool
	}{
		{pathMTU, seen.Both.Bytes, seen.Both.AtLimit}, {pathMTUForward, seen.There.Bytes, seen.There.AtLimit},
		{pathMTUReverse, seen.Back.Bytes, seen.Back.AtLimit}, {routeMTU, seen.Both.Route, false}, {tcpMSS, seen.MSS, false},
	} {
		if v.bytes == 0 {
			missing[v.metric.Name] = "the kernel did not say"
			continue
		}
		value := result.Value{Metric: v.metric, Value: float64(v.bytes)}
		if v.atLimit {
			value.Partial = "larger packets, which were not tried"
		}
		values = append(values, value)
	}
	return values
}
