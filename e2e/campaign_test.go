//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

// writeCampaign writes a campaign with a two-node lab and returns its file.
// Unless the campaign says what makes a block invalid nothing does: who else
// uses the machine meanwhile must not decide what a test finds.
func writeCampaign(t testing.TB, spec string) string {
	t.Helper()
	if !strings.Contains(spec, "validity:") {
		spec += "\n  validity: off\n"
	}
	file := filepath.Join(t.TempDir(), "campaign.yaml")
	text := "apiVersion: cnibench.io/v1alpha1\nkind: Campaign\nmetadata: {name: e2e}\nspec:\n  cluster: {lab: {nodes: 2}}\n  seed: 1\n" + spec
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// inPlaceOf rewrites a campaign file.
func inPlaceOf(t *testing.T, file, old, with string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), old, with, 1)
	if changed == string(text) {
		t.Fatalf("the campaign has no %q", old)
	}
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func journal(t testing.TB, dir string) []result.Trial {
	t.Helper()
	d, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	j, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	return j.Trials
}

func environment(t testing.TB, dir string) result.Environment {
	t.Helper()
	d, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.Environment()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wantOK fails the test for every trial that is not ok or not among those
// that the plan asks for, in its order.
func wantOK(t testing.TB, dir string, trials []result.Trial) {
	t.Helper()
	var want, got []result.Key
	d, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, planned := range p.Trials() {
		want = append(want, result.KeyOf(planned))
	}
	for _, trial := range trials {
		got = append(got, trial.Key())
		if trial.Status != result.OK {
			t.Errorf("block %d, %s, %s is %s: %s", trial.Block, trial.Variant, trial.Cell, trial.Status, trial.Reason)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trials (-plan +journal):\n%s", diff)
	}
}

// Every scenario measures, with both ends where they were asked for and the
// congestion control that labs pin.
func TestScenarios(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	o := mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [flannel-vxlan]
  scenarios:
    - {name: idle, duration: 1s, omit: 0s}
    - {name: tcp-pod-single, duration: 1s, omit: 1s, placement: [same-node, cross-node]}
    - {name: tcp-pod-multi, duration: 1s, omit: 1s, streams: 2}
    - {name: tcp-service-single, duration: 1s, omit: 1s}
    - {name: tcp-service-multi, duration: 1s, omit: 1s, streams: 2}
  blocks: 1
  freshCluster: false
`))
	if want := filepath.Join(dir, "report.html"); !strings.Contains(o.stdout, want) {
		t.Errorf("run does not name %s:\n%s", want, o.stdout)
	}
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Cell, func(t *testing.T) { checkTrial(t, dir, trial) })
	}
	variant := environment(t, dir).Variants["flannel-vxlan"]
	if variant.Facts["path MTU"] != "1450" || variant.Facts["pod MTU"] != "1450" {
		t.Errorf("facts of the datapath: %v, want an MTU of 1450 behind VXLAN", variant.Facts)
	}
	if got := variant.PodSysctls["net.ipv4.tcp_congestion_control"]; got != "cubic" {
		t.Errorf("pods have the congestion control %q", got)
	}
	wantFacts(t, variant)
}

func checkTrial(t *testing.T, dir string, trial result.Trial) {
	evidence := []string{"summary.json", "probe-node1.om.zst"}
	if trial.Scenario != "idle" {
		evidence = append(evidence, "commands.json", "client.json", "server.json", "iperf3-client-1.json", "iperf3-server-1.json", "throughput.om.zst")
		checkTCP(t, trial)
	}
	for _, name := range evidence {
		if info, err := os.Stat(filepath.Join(dir, trial.Raw, name)); err != nil || info.Size() == 0 {
			t.Errorf("evidence %s: %v, %v", name, info, err)
		}
	}
	for _, metric := range []string{"cpu", "cni-cpu", "cni-memory", "memory"} {
		if _, ok := trial.Value(metric); !ok {
			t.Errorf("no value for %s", metric)
		}
	}
}

func checkTCP(t *testing.T, trial result.Trial) {
	if v, ok := trial.Value("throughput"); !ok || v.Value <= 0 || trial.Values[0].Name != "throughput" {
		t.Errorf("values begin with %+v, want a throughput", trial.Values[0])
	}
	node := "node2"
	if strings.Contains(trial.Cell, "same-node") {
		node = "node1"
	}
	for fact, want := range map[string]string{
		"congestion control": "cubic",
		"client sysctls":     "net.ipv4.tcp_congestion_control=cubic",
		"server sysctls":     "net.ipv4.tcp_congestion_control=cubic",
		"path MTU":           "1450",
	} {
		if got := trial.Facts[fact]; got != want {
			t.Errorf("%s is %q, want %q", fact, got, want)
		}
	}
	if !strings.HasSuffix(trial.Facts["client"], " on node1") || !strings.HasSuffix(trial.Facts["server"], " on "+node) {
		t.Errorf("client: %s, server: %s; want node1 and %s", trial.Facts["client"], trial.Facts["server"], node)
	}
}

// With freshCluster every block measures on a cluster of its own.
func TestFreshCluster(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host]
  scenarios: [{name: idle, duration: 1s, omit: 0s}]
  blocks: 2
  freshCluster: true
`))
	wantOK(t, dir, journal(t, dir))
	installed := strings.Split(environment(t, dir).Variants["host"].Facts["installed at"], ", ")
	if len(installed) != 2 || len(slices.Compact(slices.Sorted(slices.Values(installed)))) != 2 {
		t.Errorf("installed at %q, want two different times", installed)
	}
}
