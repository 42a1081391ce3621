package scenario

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

const exampleManifests = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec: {template: {spec: {hostNetwork: true, containers: [{name: agent, image: "a:1", securityContext: {privileged: true}}]}}}
`

func TestFootprintValues(t *testing.T) {
	f, err := cni.Manifests{YAML: []byte(exampleManifests)}.Footprint()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		f       cni.Footprint
		sizes   map[string]int64
		unknown []string
		want    map[string]float64
	}{
		{
			"a plugin", f, map[string]int64{"a:1": 100, "b:1": 20}, nil,
			map[string]float64{
				"objects": 2, "custom-resources": 1, "image-bytes": 120, "privileged-containers": 1, "capabilities": 0,
				"host-namespaces": 1, "host-paths": 0, "permissions": 0, "broad-grants": 0,
			},
		},
		{
			"an image that no node tells of", f, map[string]int64{"a:1": 100}, []string{"b:1"},
			map[string]float64{
				"objects": 2, "custom-resources": 1, "privileged-containers": 1, "capabilities": 0,
				"host-namespaces": 1, "host-paths": 0, "permissions": 0, "broad-grants": 0,
			},
		},
		{
			"nothing is installed", cni.Footprint{}, nil, nil,
			map[string]float64{
				"objects": 0, "custom-resources": 0, "image-bytes": 0, "privileged-containers": 0, "capabilities": 0,
				"host-namespaces": 0, "host-paths": 0, "permissions": 0, "broad-grants": 0,
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]float64{}
			for _, v := range footprintValues(tt.f, tt.sizes, tt.unknown) {
				got[v.Name] = v.Value
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Times count from the first change to the cluster, whichever comes first.
func TestInstallationTimes(t *testing.T) {
	begun := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	i := stage.Installation{Timeline: cni.Timeline{Begun: begun, Applied: at(1), NodesReady: at(9), AgentsReady: at(4), FirstReply: at(11)}}
	got := map[string]float64{}
	for _, v := range installationTimes(i) {
		got[v.Name] = v.Value
	}
	want := map[string]float64{"time-to-apply": 1, "time-to-nodes-ready": 9, "time-to-agents-ready": 4, "time-to-first-reply": 11}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w := installationWindow(i); !w.Start.Equal(begun) || !w.End.Equal(at(11)) {
		t.Errorf("window %v", w)
	}
	var never stage.Installation
	if none := installationTimes(never); len(none) > 0 {
		t.Errorf("an installation that did not happen took %v", none)
	}
}

// An installation that this block did not see is none of its results.
func TestFootprintOfAnInstallationThatIsNotToBeSeen(t *testing.T) {
	present := &stage.Bench{Entry: cni.Entry{Variant: cni.Variant{Present: true}}}
	for _, b := range []*stage.Bench{present, {Installation: stage.Installation{Earlier: true}}} {
		var unsupported *stage.UnsupportedError
		if _, err := measureFootprint(t.Context(), b, plan.Cell{}); !errors.As(err, &unsupported) {
			t.Errorf("error %v, want an *UnsupportedError", err)
		}
	}
}
