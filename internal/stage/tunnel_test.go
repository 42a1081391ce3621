package stage

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/tunnel"
)

const openVPNSays = "OpenVPN 2.6.14 x86_64-pc-linux-gnu\nData Channel: cipher 'AES-256-GCM', peer-id: 0\n"

func TestJudgeOpenVPN(t *testing.T) {
	way := tunnel.OpenVPN{Protocol: tunnel.OverUDP, Cipher: "AES-256-GCM"}
	both := func(server, client string) []probe.ProcessReport {
		return []probe.ProcessReport{{Stdout: server}, {Stdout: client}}
	}
	facts, err := judgeOpenVPN(way, both(openVPNSays, openVPNSays))
	if err != nil || facts["tunnel"] != "OpenVPN 2.6.14, udp, AES-256-GCM, in user space" {
		t.Errorf("%v, %v", facts, err)
	}
	weaker := strings.ReplaceAll(openVPNSays, "256", "128")
	if _, err := judgeOpenVPN(way, both(openVPNSays, weaker)); err == nil || !strings.Contains(err.Error(), "client says that its cipher is \"AES-128-GCM\"") {
		t.Errorf("a weaker cipher: %v", err)
	}
	var unsupported *UnsupportedError
	_, err = judgeOpenVPN(way, both(openVPNSays, "ERROR: Cannot open TUN/TAP dev /dev/net/tun: No such device (errno=19)\n"))
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "No such device") {
		t.Errorf("without a device: %v", err)
	}
}

// The end that listens is trusted by the one that dials, and no others are.
func TestTunnelCredentials(t *testing.T) {
	server, client, err := tunnelCredentials("10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	if string(server.Authority) != string(client.Authority) || string(server.Key) == string(client.Key) {
		t.Error("both ends are to trust one authority, with keys of their own")
	}
}

// The load of a pair with a tunnel runs what it runs without, and what is
// beside it shares a directory with it.
func TestPutBeside(t *testing.T) {
	plain := Ends{Client: InPod, Server: InPod, Placement: CrossNode}
	ends := plain
	ends.BesideClient = Beside{Image: "vpn:1", Privileged: true}
	name, _ := plain.podNames()
	if with, _ := ends.podNames(); with == name || !strings.HasPrefix(with, name) {
		t.Errorf("%s and %s", name, with)
	}
	pods := []*corev1.Pod{loadPod(), loadPod()}
	s := &Stage{cluster: &cluster.Cluster{Machines: lackingMachines{}}}
	if err := s.putBeside(ends, pods); err != nil {
		t.Fatal(err)
	}
	load, beside := pods[0].Spec.Containers[0], pods[0].Spec.Containers[1]
	if load.Image != "tools" || load.SecurityContext != nil || load.VolumeMounts[0].MountPath != probe.LoadDir {
		t.Errorf("the load is %+v", load)
	}
	if beside.Image != "vpn:1" || !*beside.SecurityContext.Privileged || beside.VolumeMounts[0].Name != load.VolumeMounts[0].Name {
		t.Errorf("beside it is %+v", beside)
	}
	if len(pods[1].Spec.Containers) != 1 {
		t.Errorf("the server's pod has %d containers", len(pods[1].Spec.Containers))
	}
	var unsupported *UnsupportedError
	s.cluster = &cluster.Cluster{Machines: lackingMachines{lacks: []string{"vpn:1"}}}
	if err := s.putBeside(ends, pods); !errors.As(err, &unsupported) {
		t.Errorf("an image that the lab lacks: %v", err)
	}
}

func loadPod() *corev1.Pod {
	return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "load", Image: "tools"}}}}
}

// lackingMachines are fake machines that lack images.
type lackingMachines struct {
	cluster.Machines
	lacks []string
}

func (m lackingMachines) Lacks([]string) ([]string, error) { return m.lacks, nil }

func TestUnpulled(t *testing.T) {
	for text, want := range map[string]bool{
		"pod client-pod-1 to run: it is not running: phase Pending, ImagePullBackOff Back-off pulling image": true,
		"pod client-pod-1 to run: it ended: exit status 1":                                                   false,
	} {
		if got := unpulled(errors.New(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
