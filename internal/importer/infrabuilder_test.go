package importer

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/importer/synthetic"
	"github.com/cnibench/cnibench/internal/result"
)

// change replaces, or with "" empties, a file of the tree.
func change(t *testing.T, dir, file, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "results", file), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cut ends a file after a share of its bytes.
func cut(t *testing.T, dir, file string, share float64) {
	t.Helper()
	name := filepath.Join(dir, "results", file)
	info, err := os.Stat(name)
	if err == nil {
		err = os.Truncate(name, int64(share*float64(info.Size())))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, pattern string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "results", pattern))
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
}

// trapped is a tree of all 23 ids with every trap of docs/methodology.md
// section 6.
func trapped(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	tree := synthetic.Tree{Variants: synthetic.Variants, Runs: 3, CPUs: 1, Series: true}
	if err := tree.Write(dir); err != nil {
		t.Fatal(err)
	}
	// Reports that hold only an error, and next to them null and CPU figures.
	for run := 1; run <= 3; run++ {
		change(t, dir, fmt.Sprintf("antrea-ipsec/%d/sts-client.stdout", run), iperf3Failed)
		change(t, dir, fmt.Sprintf("antrea-ipsec/%d/sts.results", run), strings.Replace(synthetic.Results("sts", 1), "STS_BW=1.000000", "STS_BW=null", 1))
	}
	// Reports that are empty, with an empty value.
	change(t, dir, "calico-wg/3/dts-client.stdout", "")
	change(t, dir, "calico-wg/3/dts.results", strings.Replace(synthetic.Results("dts", 1), "DTS_BW=1.000000", "DTS_BW=", 1))
	// Series that are cut within the window, after it, and before any sample.
	cut(t, dir, "antrea-noencap/1/idle-server.prom", 0.02)
	cut(t, dir, "calico-ebpf-wg/3/idle-server.prom", 0.40)
	cut(t, dir, "calico-ebpf/3/sts-server.prom", 0.5)
	cut(t, dir, "calico-ebpf/3/dum-server.prom", 0.97)
	cut(t, dir, "calico-vpp-wg/1/dts-server.prom", 0)
	cut(t, dir, "antrea-ipsec/3/stm-client.prom", 0.05)
	// Two blanks for an empty value, in the series themselves.
	name := filepath.Join(dir, "results", "canal/1/dtm-server.prom")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	line := `statexec_cpu_seconds_total{cpu="cpu9",mode="user"}  1704067232000` + "\n"
	change(t, dir, "canal/1/dtm-server.prom", line+string(content))
	// A copy without the large files, and one without reports.
	remove(t, dir, "kubeovn/2/*.prom")
	remove(t, dir, "kuberouter/1/*.prom")
	remove(t, dir, "kuberouter/1/*.stdout")
	// Files that are not there at all, a run that is not, and other things.
	remove(t, dir, "flannel/2/sum*")
	if err := os.RemoveAll(filepath.Join(dir, "results", "cilium/3")); err != nil {
		t.Fatal(err)
	}
	change(t, dir, "README.md", "no run\n")
	return dir
}

// Everything that a trap spoils, and nothing else, is failed or partial.
func TestInfraBuilderTraps(t *testing.T) {
	got := mustImport(t, "infrabuilder-2024", trapped(t), Options{})
	failed, partial, missing := map[string]string{}, map[string]bool{}, map[string]string{}
	for _, trial := range got.trials {
		place := fmt.Sprintf("%s/%d/%s", trial.Variant, trial.Block, trial.Cell)
		if trial.Status == result.Failed {
			failed[place] = trial.Reason
		}
		for _, v := range trial.Values {
			if v.Partial != "" {
				partial[place+" "+v.Name] = true
			}
			checkSynthetic(t, place, trial, v)
		}
		for name, reason := range trial.Missing {
			missing[place+" "+name] = reason
		}
	}
	wantFailed := []string{
		"antrea-ipsec/1/sts unable to connect", "antrea-ipsec/2/sts unable to connect", "antrea-ipsec/3/sts unable to connect",
		"antrea-noencap/1/idle cut short", "calico-ebpf-wg/3/idle cut short", "calico-wg/3/dts is empty", "flannel/2/sum no file",
	}
	compareWhere(t, "failed", failed, wantFailed)
	var wantMissing []string
	for _, place := range []string{"antrea-ipsec/3/stm", "calico-ebpf/3/sts", "calico-vpp-wg/1/dts"} {
		for _, m := range []string{"cpu", "cpu-per-gbit", "memory-used"} {
			wantMissing = append(wantMissing, place+" "+m)
		}
	}
	compareWhere(t, "missing", missing, wantMissing)
	var wantPartial []string
	for _, test := range synthetic.Tests {
		for _, place := range []string{"kubeovn/2/", "kuberouter/1/"} {
			wantPartial = append(wantPartial, place+test+" cpu")
			if test != "idle" {
				wantPartial = append(wantPartial, place+test+" cpu-per-gbit")
			}
		}
		switch {
		case test == "idle":
		case test[1] == 't':
			wantPartial = append(wantPartial, "kuberouter/1/"+test+" throughput", "kuberouter/1/"+test+" retransmits")
		default:
			for _, m := range []string{" goodput", " loss", " jitter"} {
				wantPartial = append(wantPartial, "kuberouter/1/"+test+m)
			}
		}
	}
	slices.Sort(wantPartial)
	if list := slices.Sorted(maps.Keys(partial)); !slices.Equal(list, wantPartial) {
		t.Errorf("partial %v, want %v", list, wantPartial)
	}
	// 23 ids in 3 runs less one, of 9 tests; bare metal has 5 of them.
	if s := got.summary; s.Variants != 23 || s.Trials != 68*9 || s.Unneeded != 3*4 || s.Failed != len(wantFailed) || s.OK != s.Trials-s.Failed-s.Unneeded {
		t.Errorf("%+v", s)
	}
	if got.plan.Analysis.Base != "baremetal" || !got.plan.Unpaired() {
		t.Errorf("base %s, unpaired %t", got.plan.Analysis.Base, got.plan.Unpaired())
	}
}

// compareWhere compares places with what their reasons must contain.
func compareWhere(t *testing.T, what string, got map[string]string, want []string) {
	t.Helper()
	for _, w := range want {
		place, reason, _ := strings.Cut(w, " ")
		if what == "missing" {
			place, reason = w, ""
		}
		if r, ok := got[place]; !ok || !strings.Contains(r, reason) || r == "" {
			t.Errorf("%s is not %s for %q, but for %q", place, what, reason, r)
		}
		delete(got, place)
	}
	for place, reason := range got {
		t.Errorf("%s is %s: %s", place, what, reason)
	}
}

// checkSynthetic compares a value with what the tree was made of: all modes,
// guests once, over the seconds of the load and not of the server's command.
func checkSynthetic(t *testing.T, place string, trial result.Trial, v result.Value) {
	t.Helper()
	want := map[string]float64{
		"cpu": synthetic.User + synthetic.System + synthetic.SoftIRQ, "cpu-softirq": synthetic.SoftIRQ, "cpu-user": synthetic.User,
		"cpu-system": synthetic.System, "memory-used": 2 * synthetic.Memory, "retransmits": 10, "loss": 1, "jitter": 20e-6,
	}
	x, known := want[v.Name]
	switch {
	case v.Name == "cpu" && v.Partial != "":
		x = synthetic.User + synthetic.System
	case trial.Cell == "idle" && v.Name != "memory-used":
		return // the load of the tree begins within its window
	case v.Name == "throughput" || v.Name == "goodput":
		x, known = synthetic.Bandwidth(slices.Index(synthetic.Variants, trial.Variant), trial.Block), true
	}
	if known && math.Abs(v.Value-x) > 1e-4*x {
		t.Errorf("%s: %s is %v, want %v", place, v.Name, v.Value, x)
	}
}

// The report says what the published charts did differently.
func TestInfraBuilderLessons(t *testing.T) {
	dir := t.TempDir()
	tree := synthetic.Tree{Variants: []string{"baremetal", "flannel"}, Runs: 3, CPUs: 1, Series: true}
	if err := tree.Write(dir); err != nil {
		t.Fatal(err)
	}
	golden(t, "infrabuilder-2024", mustImport(t, "infrabuilder-2024", filepath.Join(dir, "results"), Options{}))
}

func TestInfraBuilderProblems(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"it has no directory ID/RUN": {"results/README": "x"},
		"it is a file":               {"a": "x"},
	} {
		dir := writeFiles(t, files)
		if _, only := files["a"]; only {
			dir = filepath.Join(dir, "a")
		}
		_, err := importInto(t, "infrabuilder-2024", dir, Options{})
		if p := problemOf(t, err); !strings.Contains(p.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

// FuzzInfraBuilder: whatever a test's files hold, its trial is valid.
func FuzzInfraBuilder(f *testing.F) {
	series := "statexec_command_status{role=\"client\"} 1 1000\nstatexec_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 1.5 1000\nstatexec_cpu_seconds_total{mode=\"user\"} 2.5 2000\nstatexec_command_status{} 2 2000\n"
	f.Add("DTS_BW=1\nDTS_CLIENT_USER=1\nDTS_CLIENT_SYSTEM=null\n", iperf3TCP(1, 1), series)
	f.Add("DTS_BW=\n", iperf3Failed, "")
	f.Add("IDLE_CLIENT_USER=-1\nIDLE_CLIENT_SYSTEM=1e308\nIDLE_SERVER_USER=1e308\nIDLE_SERVER_SYSTEM=1\n", "{}", "statexec_cpu_seconds_total{mode=\"user\"} NaN 1\n")
	form, err := FormatOf("infrabuilder-2024")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, results, report, series string) {
		dir := writeFiles(t, map[string]string{
			"a/1/dts.results": results, "a/1/dts-client.stdout": report, "a/1/dts-client.prom": series, "a/1/dts-server.prom": series,
			"a/1/idle.results": results, "a/1/idle-client.prom": series, "a/1/idle-server.prom": series, "a/1/dus.results": results, "a/1/sum-client.stdout": report,
		})
		fuzzSource(t, form, dir)
	})
}
