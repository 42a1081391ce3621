//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// The baseline has no plugin that could grow, and its pods cost memory too.
func checkDensity(t *testing.T, dir string, trial result.Trial) {
	memory, there := trial.Value("cni-memory")
	perPod, _ := trial.Value("memory-per-pod")
	running, _ := trial.Value("all-running")
	if !there || trial.Values[0].Name != "cni-memory" || (memory.Value > 0) == (trial.Variant == "host") || perPod.Value <= 0 || running.Value <= 0 {
		t.Errorf("values %v", trial.Values)
	}
	if trial.Facts["pods"] != "4 on node2" || !strings.Contains(trial.Facts["proof"], "each of 4 pods answered") || !strings.Contains(trial.Facts["room"], "of 110 pods") {
		t.Errorf("facts %v", trial.Facts)
	}
	for _, name := range []string{"pods.json", "summary.json", "before/summary.json"} {
		if _, err := os.Stat(filepath.Join(dir, trial.Raw, name)); err != nil {
			t.Error(err)
		}
	}
}

// The parts make the whole, and what a node does is within its part.
func checkStartup(t *testing.T, dir string, trial result.Trial) {
	mean := func(name string) float64 {
		v, ok := trial.Value(name + "-mean")
		if !ok || v.Value <= 0 {
			t.Errorf("%s: %v: %s", name, v.Value, trial.Missing[name+"-mean"])
		}
		return v.Value
	}
	parts, whole := mean("scheduling")+mean("starting")+mean("first-reply"), mean("startup")
	if trial.Values[0].Name != "startup-p50" || parts < whole*0.999 || parts > whole*1.001 {
		t.Errorf("the parts make %v, the whole is %v", parts, whole)
	}
	sandbox := mean("sandbox")
	if trial.Variant == "host" {
		if _, there := trial.Value("cni-add-mean"); there || trial.Missing["cni-add-mean"] == "" {
			t.Errorf("the host's network has an ADD: %v", trial.Values)
		}
	} else if mean("cni-add") >= sandbox {
		t.Errorf("the ADD is not within the sandbox: %v", trial.Values)
	}
	if _, err := os.Stat(filepath.Join(dir, trial.Raw, "starts.json")); err != nil {
		t.Error(err)
	}
}
