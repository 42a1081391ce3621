//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// Bulk load of every kind: over UDP, by all paths, in all directions, between
// pods and hosts, out of the cluster, and in a series.
func TestScenariosBulk(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [flannel-vxlan]
  scenarios:
    - {name: udp-pod-single, duration: 2s, omit: 0s}
    - {name: udp-pod-multi, duration: 2s, omit: 0s, streams: 2}
    - {name: udp-service-single, duration: 2s, omit: 0s}
    - {name: udp-service-multi, duration: 2s, omit: 0s, streams: 2}
    - {name: udp-rate, duration: 2s, omit: 1s, rate: 50Mbit, streams: 2, direction: [forward, reverse, bidir]}
    - {name: tcp-pod-multi, duration: 1s, omit: 1s, streams: 2, direction: [reverse, bidir]}
    - {name: tcp-pod-single, duration: 1s, omit: 0s, client: [pod, host], server: [pod, host], placement: [same-node, cross-node]}
    - {name: tcp-service-single, duration: 1s, omit: 0s, path: [cluster-ip, service-name, node-port, headless]}
    - {name: udp-rate, duration: 2s, omit: 0s, rate: 50Mbit, path: [node-port, service-name]}
    - {name: egress, duration: 1s, omit: 1s, client: [pod, host]}
    - {name: streams-to-saturation, duration: 1s, omit: 0s, max-streams: 3, link-rate: [0bit, 1000Gbit]}
    - {name: streams-to-saturation, duration: 1s, omit: 0s, max-streams: 3, direction: bidir}
  blocks: 1
  freshCluster: false
`))
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Cell, func(t *testing.T) {
			switch {
			case strings.HasPrefix(trial.Scenario, "udp-"):
				checkUDP(t, trial)
			case trial.Scenario == "egress":
				checkEgress(t, trial)
			case trial.Scenario == "streams-to-saturation":
				checkSaturation(t, dir, trial)
			default:
				checkEnds(t, trial)
			}
			for _, metric := range []string{"cpu", "cni-cpu", "cni-memory", "memory"} {
				if _, ok := trial.Value(metric); !ok {
					t.Errorf("no value for %s", metric)
				}
			}
		})
	}
}

func checkUDP(t *testing.T, trial result.Trial) {
	offered, _ := trial.Value("offered-rate")
	goodput, _ := trial.Value("goodput")
	loss, lossKnown := trial.Value("loss")
	if trial.Values[0].Name != "goodput" || goodput.Value <= 0 || goodput.Value > offered.Value*1.1 || !lossKnown || loss.Value < 0 || loss.Value > 100 {
		t.Errorf("goodput %v, offered %v, loss %v", goodput.Value, offered.Value, loss.Value)
	}
	if trial.Scenario != "udp-rate" {
		return
	}
	want := 50e6
	if strings.Contains(trial.Cell, "direction=bidir") {
		want = 100e6
		checkBothWays(t, trial, "goodput")
	}
	// The machine may be busy, but twice as much is not what was asked for.
	if offered.Value < want/2 || offered.Value > want*1.2 {
		t.Errorf("%v bit/s were offered, want %v", offered.Value, want)
	}
}

func checkBothWays(t *testing.T, trial result.Trial, metric string) {
	sum := 0.0
	for _, way := range []string{"forward", "reverse"} {
		v, ok := trial.Value(metric + "-" + way)
		if !ok || v.Value <= 0 {
			t.Errorf("%s: %v", way, v)
		}
		sum += v.Value
	}
	if all, _ := trial.Value(metric); all.Value < sum*0.999 || all.Value > sum*1.001 {
		t.Errorf("%s is %v, its parts make %v", metric, all.Value, sum)
	}
}

// checkEnds holds facts against parameters: who, where, and by which path.
func checkEnds(t *testing.T, trial result.Trial) {
	if strings.Contains(trial.Cell, "direction=bidir") {
		checkBothWays(t, trial, "throughput")
	}
	for _, end := range []string{"client", "server"} {
		onHost := strings.Contains(trial.Cell, end+"=host")
		if got := strings.HasPrefix(trial.Facts[end], "host-network pod 198.18."); got != onHost {
			t.Errorf("%s: %s, to be on its host: %t", end, trial.Facts[end], onHost)
		}
	}
	same := strings.Contains(trial.Cell, "same-node")
	if got := strings.HasSuffix(trial.Facts["server"], " on node1"); got != same || !strings.HasSuffix(trial.Facts["client"], " on node1") {
		t.Errorf("client: %s, server: %s", trial.Facts["client"], trial.Facts["server"])
	}
	address := trial.Facts["address"]
	for path, is := range map[string]bool{
		"service-name": strings.HasSuffix(address, ".cnibench.svc:5201") && !strings.Contains(address, "headless"),
		"headless":     strings.Contains(address, "headless") && strings.HasSuffix(address, ".cnibench.svc:5201"),
		"node-port":    strings.HasPrefix(address, "198.18.0.") && !strings.HasSuffix(address, ":5201"),
	} {
		if strings.Contains(trial.Cell, "path="+path) && !is {
			t.Errorf("path %s led to %s", path, address)
		}
	}
}

func checkEgress(t *testing.T, trial result.Trial) {
	source := trial.Facts["source address outside"]
	translated := strings.Contains(source, "translated from 10.244.")
	if onHost := strings.Contains(trial.Cell, "client=host"); translated == onHost || !strings.HasPrefix(source, "198.18.0.") {
		t.Errorf("the server saw %s", source)
	}
	if !strings.Contains(trial.Facts["server"], "no node of the cluster") {
		t.Errorf("server: %s", trial.Facts["server"])
	}
}

func checkSaturation(t *testing.T, dir string, trial result.Trial) {
	values := map[string]float64{}
	for _, v := range trial.Values {
		values[v.Name] = v.Value
	}
	if trial.Values[0].Name != "knee" || values["knee-low"] > values["knee"] || values["knee"] > values["knee-high"] || values["knee"] < 1 || values["peak-throughput"] <= 0 {
		t.Errorf("%v", values)
	}
	unreachable := strings.Contains(trial.Cell, "1000Gbit")
	if _, filled := values["streams-to-saturation"]; unreachable && (filled || len(trial.Marks) == 0 || values["link-share"] > 50) {
		t.Errorf("a link of a terabit was filled: %v, %v", values, trial.Marks)
	}
	how := trial.Facts["link"]
	if both := strings.Contains(trial.Cell, "bidir"); strings.Contains(how, "both ways") != both {
		t.Errorf("the link's rate is %s", how)
	}
	if strings.Contains(how, "host to host") == unreachable {
		t.Errorf("the link's rate is from %s", how)
	}
	for _, name := range []string{"series.json", "streams-1-commands.json", "iperf3-streams-3-client-3.json"} {
		if _, err := os.Stat(filepath.Join(dir, trial.Raw, name)); err != nil {
			t.Error(err)
		}
	}
}

// What a campaign asks of the cluster and it cannot do has its own status.
func TestScenariosUnsupported(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	run(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host]
  scenarios:
    - {name: tcp-pod-single, duration: 1s, omit: 0s, window: 512MiB}
  blocks: 1
  freshCluster: false
`))
	trials := journal(t, dir)
	if len(trials) != 1 || trials[0].Status != result.Unsupported || !strings.Contains(trials[0].Reason, "net.core.wmem_max") {
		t.Errorf("%+v", trials)
	}
}
