//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

func checkChurn(t *testing.T, dir string, trial result.Trial) {
	if trial.Values[0].Name != "latency-p99" || trial.Values[0].Value <= 0 {
		t.Errorf("the first value is %+v", trial.Values[0])
	}
	parts := 0.0
	for _, reason := range []string{"timeout", "refused", "reset", "other"} {
		v, has := trial.Value("unanswered-" + reason)
		if !has {
			t.Errorf("no value for unanswered-%s", reason)
		}
		parts += v.Value
	}
	if all, _ := trial.Value("unanswered"); all.Value < parts-0.001 || all.Value > parts+0.001 {
		t.Errorf("unanswered is %v, its parts make %v", all.Value, parts)
	}
	fill, has := trial.Value("map-fill")
	if !has || fill.Value <= 0 || fill.Value > 1 || trial.Facts["fullest table"] == "" {
		t.Errorf("map-fill is %v (%s), fullest: %q", fill.Value, trial.Missing["map-fill"], trial.Facts["fullest table"])
	}
	if strings.Contains(trial.Cell, "rate=500") {
		for _, node := range []string{"node1", "node2"} {
			checkEntries(t, trial.Facts["table nf_conntrack on "+node], trial.Facts["requests served"])
		}
	}
	for _, name := range []string{"tables-before.json", "tables-after.json", "latency.hlog"} {
		if info, err := os.Stat(filepath.Join(dir, trial.Raw, name)); err != nil || info.Size() == 0 {
			t.Errorf("evidence: %v", err)
		}
	}
}

// checkEntries reads a fact about a table: it has an entry for every connection
// that was served, warm-up included, as none is forgotten so soon.
func checkEntries(t *testing.T, fact, served string) {
	t.Helper()
	var entries, limit int
	if _, err := fmt.Sscanf(fact, "%d of %d entries", &entries, &limit); err != nil {
		t.Errorf("%q: %v", fact, err)
		return
	}
	connections, err := strconv.Atoi(served)
	if err != nil || connections < 3400 || entries < connections || entries > limit {
		t.Errorf("%s connections are not in %q: %v", served, fact, err)
	}
}
