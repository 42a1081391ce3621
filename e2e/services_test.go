//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

func checkServiceScaling(t *testing.T, trial result.Trial) {
	values := map[string]float64{}
	for _, v := range trial.Values {
		values[v.Name] = v.Value
	}
	for _, metric := range []string{
		"connect-rate", "throughput", "programming-time", "removal-time", "removal-time-all", "settling-cpu", "settling-proxy-memory", "cpu",
	} {
		if values[metric] <= 0 {
			t.Errorf("%s is %v; missing: %v", metric, values[metric], trial.Missing)
		}
	}
	if plugin := values["settling-cni-memory"] > 0; plugin == (trial.Variant == "host") {
		t.Errorf("the plugin's memory is %v", values["settling-cni-memory"])
	}
	if trial.Values[0].Name != "connect-rate" || values["services-created"] > values["programming-time-all"] || values["programming-time"] > values["programming-time-max"] {
		t.Errorf("values %v", values)
	}
	// On a busy machine a few may find no time.
	if values["unanswered"] > 1 {
		t.Errorf("%v %% of the connections had no answer", values["unanswered"])
	}
	count, mode := "50", "iptables"
	if strings.Contains(trial.Cell, "services=1") {
		count = "1"
	}
	if trial.Variant == "host" {
		mode = "nftables"
	}
	for fact, want := range map[string]string{
		"services": count + " in front of one server, carried by kube-proxy (" + mode + ")", "services of the connections": "all " + count + ", in turn; ",
		"endpoint slices": count + ", all of them",
	} {
		if got := trial.Facts[fact]; !strings.HasPrefix(got, want) {
			t.Errorf("fact %s is %q, want %q", fact, got, want)
		}
	}
}
