package stage

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cnibench/cnibench/internal/cluster"
)

// A pod's name tells its berths apart, and can be a label, whatever its node is
// called.
func TestBerthPodName(t *testing.T) {
	seen := map[string]bool{}
	long := "ip-10-0-132-17.eu-central-1.compute.internal." + strings.Repeat("x", 100)
	for _, end := range []string{InPod, OnHost} {
		for _, node := range []string{"node1", "node-1", "node.1", long, long + "y"} {
			for number := 1; number <= 2; number++ {
				name := Berth{node, number}.podName(end)
				if seen[name] || len(validation.IsValidLabelValue(name)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
					t.Errorf("%s %d in the network of a %s is called %s", node, number, end, name)
				}
				seen[name] = true
			}
		}
	}
	if name := (Berth{"node1", 2}).podName(InPod); name != "fleet-pod-node1-2" {
		t.Errorf("it is called %s", name)
	}
}

func TestMemberVerify(t *testing.T) {
	berth := Berth{"node1", 1}
	for _, test := range []struct {
		pod cluster.Pod
		end string
		ok  bool
	}{
		{cluster.Pod{Node: "node1"}, InPod, true},
		{cluster.Pod{Node: "node1", HostNetwork: true}, OnHost, true},
		{cluster.Pod{Node: "node2"}, InPod, false},
		{cluster.Pod{Node: "node1", HostNetwork: true}, InPod, false},
	} {
		if err := (FleetPod{Pod: test.pod}).verify(berth, test.end); (err == nil) != test.ok {
			t.Errorf("%+v for the network of a %s: %v", test.pod, test.end, err)
		}
	}
}

// A pod that has gone is made anew: nothing keeps it.
func TestForgetMember(t *testing.T) {
	key := berthKey{Berth{"node1", 1}, InPod}
	s := &Stage{fleet: map[berthKey]FleetPod{key: {Pod: cluster.Pod{Name: "fleet-pod-node1-1"}}}}
	s.forget("another")
	if len(s.fleet) != 1 || len(s.pods()) != 1 {
		t.Errorf("the fleet is %v", s.fleet)
	}
	s.forget("fleet-pod-node1-1")
	if len(s.fleet) != 0 {
		t.Errorf("the fleet is %v", s.fleet)
	}
}
