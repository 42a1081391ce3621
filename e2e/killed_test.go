//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/result"
)

// victim is what is killed in the middle of a trial.
type victim struct {
	name string
	// strike is the command of a lab that kills it; the lab's name comes after
	// the first word.
	strike []string
	// reasons are words of the failed trial's reason.
	reasons []string
}

func podVictim(pod string) victim {
	return victim{"pod " + pod, []string{"kubectl", "--", "-n", "cnibench", "delete", "pod", pod, "--wait=false", "--grace-period=0", "--force"}, []string{pod}}
}

var (
	clientPod = podVictim("client-pod")
	serverPod = podVictim("server-pod-cross-node")
	kubelet   = victim{"kubelet", []string{"exec", "node2", "--", "pkill", "-KILL", "-x", "kubelet"}, []string{"node2/kubelet"}}
	coreDNS   = victim{"CoreDNS", []string{"kubectl", "--", "-n", "kube-system", "delete", "pod", "-l", "k8s-app=kube-dns", "--wait=false", "--grace-period=0", "--force"}, []string{"the cluster's DNS changed"}}
	outside   = victim{"the server outside", []string{"exec", "control-plane", "--", "pkill", "-KILL", "-x", "iperf3"}, nil}
	ends      = []victim{clientPod, serverPod, kubelet}
	nodesOnly = []victim{kubelet}
)

// killed are the scenarios, the pattern of a process that runs in the middle
// of each, and what is killed then.
var killed = []struct {
	scenario, middle string
	victims          []victim
}{
	{"{name: idle, duration: 8s, omit: 0s}", "cnibench-probe sample", nodesOnly},
	{"{name: tcp-pod-single, duration: 8s, omit: 0s}", "^iperf3 -c .* -t 8 ", ends},
	{"{name: tcp-pod-multi, duration: 8s, omit: 0s}", "^iperf3 -c .* -t 8 ", ends},
	{"{name: udp-pod-single, duration: 20s, omit: 0s}", "^iperf3 -c .* -t 20 ", ends},
	{"{name: udp-pod-multi, duration: 20s, omit: 0s}", "^iperf3 -c .* -t 20 ", ends},
	{"{name: tcp-service-single, duration: 8s, omit: 0s}", "^iperf3 -c .* -t 8 ", ends},
	{"{name: tcp-service-multi, duration: 8s, omit: 0s}", "^iperf3 -c .* -t 8 ", ends},
	{"{name: udp-service-single, duration: 20s, omit: 0s}", "^iperf3 -c .* -t 20 ", ends},
	{"{name: udp-service-multi, duration: 20s, omit: 0s}", "^iperf3 -c .* -t 20 ", ends},
	{"{name: udp-rate, duration: 8s, omit: 0s, rate: 50Mbit}", "^iperf3 -c .* -t 8 ", ends},
	{"{name: streams-to-saturation, duration: 8s, omit: 0s, max-streams: 2}", "^iperf3 -c .* -t 8 ", ends},
	{"{name: egress, duration: 8s, omit: 0s}", "^iperf3 -c .* -t 8 ", []victim{clientPod, outside, kubelet}},
	{"{name: message-size, duration: 8s, size: 1KiB, protocol: tcp}", "^qperf .* -t 4 ", ends},
	{"{name: udp-zero-loss}", "^cnibench-probe stream send", ends},
	{"{name: ping, count: 1000}", "^ping ", ends},
	{"{name: tcp-rr, duration: 8s, omit: 0s}", "^cnibench-probe pace$", ends},
	{"{name: udp-rr, duration: 8s, omit: 0s}", "^cnibench-probe pace$", ends},
	{"{name: tcp-crr, duration: 8s, omit: 0s}", "^cnibench-probe pace$", ends},
	{"{name: dns, duration: 8s, omit: 0s, question: cached}", "^cnibench-probe pace$", []victim{clientPod, coreDNS, kubelet}},
	{"{name: latency-under-load, duration: 8s, omit: 0s, load: 0.5}", "^cnibench-probe pace$", ends},
	{"{name: http, duration: 8s, omit: 0s, rate: 200}", "^k6 run ", ends},
	{"{name: policy-scaling, duration: 8s, omit: 0s, policies: 10}", "^iperf3 -c .* -t 8 ", ends},
	{"{name: policy-connect, duration: 8s, omit: 0s, policies: 10}", "^cnibench-probe pace$", ends},
	{"{name: policy-enforcement, effect: deny, repeats: 50}", "^cnibench-probe watch", ends},
	{"{name: policy-matrix}", "^cnibench-probe watch", ends},
	{"{name: cni-resources, duration: 8s, omit: 0s, load: tcp-pod-multi}", "^iperf3 -c .* -t 8 ", ends},
}

// Whatever dies in the middle of whatever scenario makes that trial fail, with
// the reason, and the campaign goes on. Each scenario loses another part;
// CNIBENCH_KILLED_BLOCKS=3 makes each lose all of them.
func TestCiliumKilled(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	blocks := 1
	if text := os.Getenv("CNIBENCH_KILLED_BLOCKS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		blocks = n
	}
	var scenarios strings.Builder
	for _, k := range killed {
		scenarios.WriteString("\n    - " + k.scenario)
	}
	c := start(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [cilium-kpr]
  scenarios:`+scenarios.String()+`
  blocks: `+strconv.Itoa(blocks)+`
  freshCluster: false
`))
	struck, lab := map[string]victim{}, ""
	for len(struck) < blocks*len(killed) {
		begun, index := awaitTrial(t, c, dir, struck)
		k := killed[index]
		block, err := strconv.Atoi(strings.Split(begun, "/")[0])
		if err != nil {
			t.Fatal(err)
		}
		v := k.victims[(index+block)%len(k.victims)]
		struck[begun] = v
		if !awaitMiddle(t, c, dir, begun, k.middle) {
			continue // it says so in its trial
		}
		if lab == "" {
			lab = onlyLab(t)
		}
		mustRun(t, append([]string{"lab", v.strike[0], lab}, v.strike[1:]...)...)
	}
	o := c.wait()
	trials := journal(t, dir)
	if len(trials) != len(struck) {
		t.Fatalf("%d trials of %d\n%s", len(trials), len(struck), o.stderr)
	}
	for _, trial := range trials {
		v := struck[filepath.Join(strconv.Itoa(trial.Block), trial.Variant, trial.Cell)]
		t.Logf("%s without %s: %s: %s", trial.Cell, v.name, trial.Status, trial.Reason)
		if trial.Status != result.Failed || trial.Reason == "" {
			t.Errorf("%s is %s without %s", trial.Cell, trial.Status, v.name)
		}
		for _, want := range v.reasons {
			if !strings.Contains(trial.Reason, want) {
				t.Errorf("%s: the reason does not name %s", trial.Cell, want)
			}
		}
	}
}

// awaitTrial waits for a trial that was not struck, and returns its path below
// raw without the try, and the index of its scenario.
func awaitTrial(t testing.TB, c *command, dir string, struck map[string]victim) (begun string, index int) {
	t.Helper()
	eventually(t, "the next trial", func() bool {
		if !c.running() {
			t.Fatalf("the run ended before:\n%s", c.wait().stderr)
		}
		paths, _ := filepath.Glob(filepath.Join(dir, "raw", "[0-9]*", "*", "*", "1"))
		for _, path := range paths {
			begun, _ = filepath.Rel(filepath.Join(dir, "raw"), filepath.Dir(path))
			if _, ok := struck[begun]; ok {
				continue
			}
			for index = range killed {
				if strings.HasPrefix(killed[index].scenario, "{name: "+filepath.Base(begun)+"}") || strings.HasPrefix(killed[index].scenario, "{name: "+filepath.Base(begun)+",") {
					return true
				}
			}
		}
		return false
	})
	return begun, index
}

// awaitMiddle waits until a process of the pattern runs, and half a second
// more. It tells whether the trial is still under way then.
func awaitMiddle(t testing.TB, c *command, dir, begun, pattern string) bool {
	t.Helper()
	eventually(t, pattern+" of "+begun, func() bool {
		return !c.running() || hasEnded(t, dir, begun) || exec.Command("pgrep", "-f", pattern).Run() == nil
	})
	time.Sleep(500 * time.Millisecond)
	return c.running() && !hasEnded(t, dir, begun)
}

// hasEnded tells whether a trial is in the journal.
func hasEnded(t testing.TB, dir, begun string) bool {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "trials.jsonl")); err != nil {
		return false
	}
	for _, trial := range journal(t, dir) {
		if filepath.Join(strconv.Itoa(trial.Block), trial.Variant, trial.Cell) == begun {
			return true
		}
	}
	return false
}

// onlyLab is the name of the one lab there is.
func onlyLab(t testing.TB) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(mustRun(t, "lab", "list").stdout), "\n")
	if len(lines) != 2 {
		t.Fatalf("lab list prints\n%s", strings.Join(lines, "\n"))
	}
	return strings.Fields(lines[1])[0]
}
