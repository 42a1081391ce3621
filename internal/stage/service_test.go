package stage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// A Service has every port of the load, of both protocols for UDP: iperf3 and
// its like agree over TCP on what they do over UDP.
func TestService(t *testing.T) {
	for _, tt := range []struct {
		path  string
		ports Ports
		name  string
		want  []string
	}{
		{ClusterIP, Ports{First: 5201, Count: 2}, "s-cluster-ip-tcp-5201-2", []string{"TCP 7007", "TCP 5201", "TCP 5202"}},
		{ServiceName, Ports{First: 5201, Count: 1}, "s-cluster-ip-tcp-5201-1", []string{"TCP 7007", "TCP 5201"}},
		{NodePort, Ports{First: 80, Count: 1, UDP: true}, "s-node-port-udp-80-1", []string{"TCP 7007", "UDP 7007", "TCP 80", "UDP 80"}},
		{LoadBalancer, Ports{First: 80, Count: 1}, "s-load-balancer-tcp-80-1", []string{"TCP 7007", "TCP 80"}},
		{Headless, Ports{First: 80, Count: 1}, "s-headless-tcp-80-1", []string{"TCP 7007", "TCP 80"}},
	} {
		svc := service("s", tt.path, tt.ports)
		var got []string
		names := map[string]bool{}
		for _, p := range svc.Spec.Ports {
			got = append(got, string(p.Protocol)+" "+p.TargetPort.String())
			names[p.Name] = true
			if p.TargetPort.IntValue() != int(p.Port) {
				t.Errorf("%s: port %d leads to %s", tt.path, p.Port, p.TargetPort.String())
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || len(names) != len(got) {
			t.Errorf("%s: ports (-want +got):\n%s%v", tt.path, diff, names)
		}
		if svc.Name != tt.name || len(svc.Name) > 63 {
			t.Errorf("%s is named %s, want %s", tt.path, svc.Name, tt.name)
		}
		if nodePort, headless := svc.Spec.Type == corev1.ServiceTypeNodePort, svc.Spec.ClusterIP == corev1.ClusterIPNone; nodePort != (tt.path == NodePort) || headless != (tt.path == Headless) {
			t.Errorf("%s: type %q, address %q", tt.path, svc.Spec.Type, svc.Spec.ClusterIP)
		}
		if balanced := svc.Spec.Type == corev1.ServiceTypeLoadBalancer; balanced != (tt.path == LoadBalancer) {
			t.Errorf("%s: type %q", tt.path, svc.Spec.Type)
		}
	}
}

func TestAddress(t *testing.T) {
	svc := service("s", NodePort, Ports{First: 5201, Count: 2, UDP: true})
	for i := range svc.Spec.Ports {
		svc.Spec.Ports[i].NodePort = svc.Spec.Ports[i].Port + 25000
	}
	a := Address{Host: "192.0.2.1", Translated: nodePorts(svc)}
	if a.Port(5202) != 30202 || a.HostPort(EchoPort) != "192.0.2.1:32007" || (Address{Host: "fd00::1"}).HostPort(80) != "[fd00::1]:80" {
		t.Errorf("%+v", a)
	}
}
