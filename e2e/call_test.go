//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

func checkCalls(t *testing.T, trial result.Trial) {
	if rate, ok := trial.Value("rate"); !ok || rate.Value < 60 || rate.Value > 150 { // of exponential gaps
		t.Errorf("rate is %v", rate.Value)
	}
	if p50, ok := trial.Value("latency-p50"); !ok || p50.Value <= 0 {
		t.Errorf("median latency is %v", p50.Value)
	}
	if none, ok := trial.Value("unanswered"); !ok || none.Value != 0 {
		t.Errorf("unanswered: %v %%", none.Value)
	}
	encrypted := strings.HasPrefix(trial.Cell, "https")
	if want := map[bool]string{true: "TLS 1.3", false: "none"}[encrypted]; trial.Facts["encryption"] != want {
		t.Errorf("facts: %v", trial.Facts)
	}
	if _, told := trial.Facts["UDP segmentation offload"]; told != strings.Contains(trial.Cell, "h3") {
		t.Errorf("facts: %v", trial.Facts)
	}
}
