package birth

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// result is a file of libcni's, shortened.
func result(namespace, uid, ifName, top, sandbox string) string {
	return fmt.Sprintf(`{"kind":"cniCacheV1","containerId":"5f","config":"e30=","ifName":%q,"networkName":"cbr0",%s
		"cniArgs":[["IgnoreUnknown","1"],["K8S_POD_NAMESPACE",%q],["K8S_POD_NAME","p"],["K8S_POD_UID",%q]],
		"result":{"cniVersion":"1.0.0","interfaces":[{"name":"cni0"},{"name":"eth0","sandbox":%q}]}}`, ifName, top, namespace, uid, sandbox)
}

func TestParseResult(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       added
		err        error
	}{
		{"namespace among the interfaces", result("cnibench", "u1", "eth0", "", "/var/run/netns/cni-1"), added{"cnibench", "u1", "cni-1"}, nil},
		{"namespace by itself", result("cnibench", "u1", "eth0", `"netns":"/run/netns/cni-2",`, ""), added{"cnibench", "u1", "cni-2"}, nil},
		{"no namespace", result("cnibench", "u1", "eth0", "", ""), added{"cnibench", "u1", ""}, nil},
		{"loopback", result("cnibench", "u1", "lo", "", "/var/run/netns/cni-1"), added{}, errNotOfPods},
		{"not of a pod", `{"ifName":"eth0"}`, added{}, errNotOfPods},
	} {
		got, err := parseResult([]byte(tt.text))
		if !errors.Is(err, tt.err) || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
	if _, err := parseResult([]byte(`{"ifName":`)); err == nil || errors.Is(err, errNotOfPods) {
		t.Errorf("half a file: %v", err)
	}
}

func FuzzParseResult(f *testing.F) {
	f.Add([]byte(result("cnibench", "u1", "eth0", "", "/var/run/netns/cni-1")))
	f.Fuzz(func(t *testing.T, text []byte) {
		if a, err := parseResult(text); err == nil && (a.uid == "" || a.netns != "/" && strings.Contains(a.netns, "/")) {
			t.Errorf("%+v", a)
		}
	})
}

func TestPodDir(t *testing.T) {
	for _, name := range []string{"", "a_b", "a_b_c_d", "_b_c", "a__c", "a_b_"} {
		if _, _, _, ok := podDir(name); ok {
			t.Errorf("%q is read as a pod's", name)
		}
	}
	if namespace, pod, uid, ok := podDir("cnibench_crowd-1_0a-1b"); !ok || namespace != "cnibench" || pod != "crowd-1" || uid != "0a-1b" {
		t.Errorf("%s %s %s %t", namespace, pod, uid, ok)
	}
}

// A pod's traces come in any order, those of others between them, and a stage
// counts only where both of its ends were seen.
func TestRegister(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	r := newRegister("cnibench")
	for _, other := range []string{"kube-system_dns_u9", "nonsense"} {
		if _, ours := r.begun(other, at(0)); ours {
			t.Errorf("%s is ours", other)
		}
	}
	uid, _ := r.begun("cnibench_one_u1", at(1))
	r.appeared("cni-1", at(3))
	r.appeared("cni-9", at(4))
	for i, text := range []string{
		result("kube-system", "u9", "eth0", "", "/run/netns/cni-9"), result("cnibench", "u1", "lo", "", "/run/netns/cni-1"), result("cnibench", "u1", "eth0", "", "/run/netns/cni-1"),
	} {
		if err := r.added([]byte(text), at(7+i)); err != nil {
			t.Fatal(err)
		}
	}
	r.container(uid, at(12))
	r.container(uid, at(20)) // the second one
	r.begun("cnibench_host_u2", at(2))
	r.container("u2", at(6))
	want := []Birth{
		{Pod: "one", UID: "u1", Begun: at(1), Netns: at(3), Added: at(9), Container: at(12)},
		{Pod: "host", UID: "u2", Begun: at(2), Container: at(6)},
	}
	if diff := cmp.Diff(want, r.report()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if d, ok := want[0].Sandbox(); !ok || d != 11*time.Millisecond {
		t.Errorf("sandbox %v, %t", d, ok)
	}
	if d, ok := want[0].ADD(); !ok || d != 6*time.Millisecond {
		t.Errorf("ADD %v, %t", d, ok)
	}
	if d, ok := want[1].ADD(); ok {
		t.Errorf("a pod of the host's network has an ADD of %v", d)
	}
}
