package scenario

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

func seenMTU(route, both, there, back int) stage.SeenMTU {
	return stage.SeenMTU{
		Both: probe.PathMTU{Bytes: both, Route: route, Device: route}, There: probe.PathMTU{Bytes: there}, Back: probe.PathMTU{Bytes: back}, MSS: route - 52,
	}
}

// The difference is of what connections use, and every doubt is marked.
func TestEvaluateMTU(t *testing.T) {
	vxlan := expectedMTU{link: 1500, encapsulation: 50}
	for _, tt := range []struct {
		name       string
		seen       stage.SeenMTU
		want       expectedMTU
		difference any // nil: missing
		marks      string
	}{
		{"as expected", seenMTU(1450, 1450, 1450, 1450), vxlan, 0.0, ""},
		{"larger ones pass in fragments of the tunnel", seenMTU(1450, 1500, 1500, 1500), vxlan, 0.0, ""},
		{"smaller than expected", seenMTU(1400, 1400, 1400, 1400), vxlan, -50.0, "unexpected-mtu"},
		{"larger than expected", seenMTU(1500, 1500, 1500, 1500), vxlan, 50.0, "unexpected-mtu"},
		{"the route promises more than the path takes", seenMTU(1450, 1400, 1450, 1400), vxlan, -50.0, "path-below-route unexpected-mtu"},
		{"nothing is expected", seenMTU(1500, 1500, 1500, 1500), expectedMTU{why: "nobody says"}, nil, ""},
		{"nothing is expected of a path that loses", seenMTU(1500, 1450, 1500, 1450), expectedMTU{why: "nobody says"}, nil, "path-below-route"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := evaluateMTU(tt.seen, tt.want)
			var marks []string
			for _, mark := range m.Marks {
				marks = append(marks, mark.Name)
			}
			if got := strings.Join(marks, " "); got != tt.marks {
				t.Errorf("marks %q, want %q", got, tt.marks)
			}
			values := mtuValues(m.Values)
			difference, there := values[mtuDifference.Name]
			if tt.difference == nil {
				if there || m.Missing[mtuDifference.Name] == "" {
					t.Errorf("a difference of %v from nothing", difference.Value)
				}
			} else if !there || difference.Value != tt.difference {
				t.Errorf("difference %v (%t), want %v", difference.Value, there, tt.difference)
			}
			if m.Values[0].Name != pathMTU.Name || m.Values[0].Value != float64(tt.seen.Both.Bytes) {
				t.Errorf("first value %+v", m.Values[0])
			}
			if values[pathMTUForward.Name].Value != float64(tt.seen.There.Bytes) || values[pathMTUReverse.Name].Value != float64(tt.seen.Back.Bytes) {
				t.Errorf("ways %v", values)
			}
		})
	}
}

// What nobody tried or told is no value, or not the whole one.
func TestEvaluateMTUInPart(t *testing.T) {
	seen := seenMTU(65536, 65535, 65535, 65535)
	seen.Both.AtLimit, seen.MSS = true, 0
	m := evaluateMTU(seen, expectedMTU{why: "x"})
	if len(m.Marks) > 0 {
		t.Errorf("marks %v of what was not tried", m.Marks)
	}
	if values := mtuValues(m.Values); values[pathMTU.Name].Partial == "" || values[pathMTUForward.Name].Partial != "" {
		t.Errorf("values %v", m.Values)
	}
	if _, there := mtuValues(m.Values)[tcpMSS.Name]; there || m.Missing[tcpMSS.Name] == "" {
		t.Errorf("a segment size from nowhere: %v", m.Values)
	}
}

func mtuValues(values []result.Value) map[string]result.Value {
	all := map[string]result.Value{}
	for _, v := range values {
		all[v.Name] = v
	}
	return all
}

// The catalog's word is about pods on different nodes and their Services; hosts
// have the link.
func TestExpectMTU(t *testing.T) {
	entry := cni.Entry{}
	entry.Encapsulation.Bytes = 50
	present := entry
	present.Variant.Present = true
	pods := stage.Ends{Client: stage.InPod, Server: stage.InPod, Placement: stage.CrossNode}
	hosts := stage.Ends{Client: stage.OnHost, Server: stage.OnHost, Placement: stage.CrossNode}
	outside := stage.Ends{Client: stage.External, Server: stage.OnHost, Placement: stage.CrossNode}
	for _, tt := range []struct {
		name  string
		entry cni.Entry
		link  int
		ends  stage.Ends
		path  string
		want  int // 0: nothing
	}{
		{"pods", entry, 9000, pods, stage.PodIP, 8950},
		{"pods and a Service", entry, 1500, pods, stage.ClusterIP, 1450},
		{"hosts", entry, 1500, hosts, stage.PodIP, 1500},
		{"a host outside and one inside", entry, 1500, outside, stage.PodIP, 1500},
		{"hosts of a cluster with a plugin", present, 1500, hosts, stage.PodIP, 1500},
		{"pods of a cluster with a plugin", present, 1500, pods, stage.PodIP, 0},
		{"a link that nobody knows", entry, 0, pods, stage.PodIP, 0},
		{"one node", entry, 1500, stage.Ends{Client: stage.InPod, Server: stage.InPod, Placement: stage.SameNode}, stage.PodIP, 0},
		{"a host outside and a pod", entry, 1500, stage.Ends{Client: stage.External, Server: stage.InPod, Placement: stage.CrossNode}, stage.NodePort, 0},
		{"a node's port", entry, 1500, pods, stage.NodePort, 0},
		{"a load balancer", entry, 1500, hosts, stage.LoadBalancer, 0},
	} {
		got := expectMTU(tt.entry, tt.link, tt.ends, tt.path)
		if (got.why == "") != (tt.want > 0) || tt.want > 0 && got.bytes() != tt.want {
			t.Errorf("%s: %+v, want %d", tt.name, got, tt.want)
		}
	}
}
