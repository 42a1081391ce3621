package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// environmentWarnings names what should be equal between the variants and is
// not (docs/methodology.md section 5). What a CNI sets itself, such as the pods' MTU
// or kube-proxy, is part of the variant and not looked at.
func environmentWarnings(env result.Environment) []result.Warning {
	seen := map[string]map[string][]string{} // what → value → variants
	note := func(what, value, variant string) {
		if seen[what] == nil {
			seen[what] = map[string][]string{}
		}
		if !slices.Contains(seen[what][value], variant) {
			seen[what][value] = append(seen[what][value], variant)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env.Variants)) {
		v := env.Variants[name]
		note("Kubernetes version", v.Versions["kubernetes"], name)
		note("pods' congestion control", v.PodSysctls["net.ipv4.tcp_congestion_control"], name)
		for _, n := range v.Nodes {
			note("kernel of the nodes", n.Kernel, name)
			note("MTU of the nodes", fmt.Sprint(n.MTU), name)
		}
	}
	var list []result.Warning
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		if len(seen[what]) < 2 {
			continue
		}
		var parts []string
		for _, value := range slices.Sorted(maps.Keys(seen[what])) {
			parts = append(parts, fmt.Sprintf("%s (%s)", orUnknown(value), strings.Join(seen[what][value], ", ")))
		}
		list = append(list, result.Warning{
			Code:    "environment-differs",
			Message: fmt.Sprintf("the %s differs: %s", what, strings.Join(parts, "; ")),
			Hint:    "a difference between these variants may come from it",
		})
	}
	return list
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
