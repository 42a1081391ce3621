package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// factsShown is how many differences a warning names; the rest is counted, and
// the report has all.
const factsShown = 4

// factWarnings says where the machines are not what a comparison takes for
// granted: ends that differ, machines that changed between variants, and
// workloads of others.
func factWarnings(env result.Environment) []result.Warning {
	list := differingNodes(env)
	list = append(list, changedKernels(env)...)
	return append(list, foreignWorkloads(env)...)
}

// byMessage collects what holds for several variants under what it says.
func byMessage(env result.Environment, say func(result.Variant) string) (messages []string, variants map[string][]string) {
	variants = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(env.Variants)) {
		message := say(env.Variants[name])
		if message == "" {
			continue
		}
		if variants[message] == nil {
			messages = append(messages, message)
		}
		variants[message] = append(variants[message], name)
	}
	return messages, variants
}

func differingNodes(env result.Environment) []result.Warning {
	messages, variants := byMessage(env, func(v result.Variant) string {
		differences := v.NodeDifferences()
		if len(differences) == 0 {
			return ""
		}
		var parts []string
		for _, d := range differences[:min(len(differences), factsShown)] {
			parts = append(parts, fmt.Sprintf("%s (%s; %s)", d.Name, d.A, d.B))
		}
		if more := len(differences) - len(parts); more > 0 {
			parts = append(parts, fmt.Sprintf("%d more", more))
		}
		return fmt.Sprintf("nodes %s and %s differ in %s", v.LoadNodes[0], v.LoadNodes[1], strings.Join(parts, ", "))
	})
	var list []result.Warning
	for _, m := range messages {
		list = append(list, result.Warning{
			Code: "nodes-differ", Message: m + of(variants[m], env),
			Hint: "client and server are not alike, and another pair of nodes may give other results: make them alike, or choose others",
		})
	}
	return list
}

// of names variants unless they are all.
func of(variants []string, env result.Environment) string {
	if len(variants) == len(env.Variants) {
		return ""
	}
	return " with " + strings.Join(variants, ", ")
}

// changedKernels compares each node that carries load with itself under the
// other variants. Settings are left out: plugins change some, and then they
// belong to the variant.
func changedKernels(env result.Environment) []result.Warning {
	first := map[string]string{} // by node: the variant that it is compared with
	values := map[string]map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(env.Variants)) {
		v := env.Variants[name]
		for _, k := range v.Kernels {
			for _, node := range k.Nodes {
				base, seen := first[node]
				if !seen {
					first[node] = name
					continue
				}
				for _, d := range result.CompareFacts(kernelOf(env.Variants[base], node), k.Facts) {
					if !strings.HasPrefix(d.Name, "sysctl.") {
						note(values, d.Name+" of "+node, d.A, base)
						note(values, d.Name+" of "+node, d.B, name)
					}
				}
			}
		}
	}
	var list []result.Warning
	for _, what := range slices.Sorted(maps.Keys(values)) {
		var parts []string
		for _, value := range slices.Sorted(maps.Keys(values[what])) {
			parts = append(parts, fmt.Sprintf("%s (%s)", value, strings.Join(values[what][value], ", ")))
		}
		list = append(list, result.Warning{
			Code: "environment-differs", Message: fmt.Sprintf("%s differs: %s", what, strings.Join(parts, "; ")),
			Hint: "a difference between these variants may come from it",
		})
	}
	return list
}

func note(values map[string]map[string][]string, what, value, variant string) {
	if values[what] == nil {
		values[what] = map[string][]string{}
	}
	if !slices.Contains(values[what][value], variant) {
		values[what][value] = append(values[what][value], variant)
	}
}

func kernelOf(v result.Variant, node string) result.Facts {
	for _, k := range v.Kernels {
		if slices.Contains(k.Nodes, node) {
			return k.Facts
		}
	}
	return result.Facts{}
}

// foreignWorkloads names what else ran on the nodes that carried load, except
// what every node of a cluster has.
func foreignWorkloads(env result.Environment) []result.Warning {
	messages, variants := byMessage(env, func(v result.Variant) string {
		var found []string
		for _, n := range v.Nodes {
			if !slices.Contains(v.LoadNodes, n.Name) {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(n.Facts.Values)) {
				workload, is := strings.CutPrefix(name, "foreign.")
				if is && !strings.Contains(workload, "/DaemonSet ") {
					found = append(found, fmt.Sprintf("%s on %s (%s)", workload, n.Name, n.Facts.Values[name]))
				}
			}
		}
		if len(found) == 0 {
			return ""
		}
		if more := len(found) - factsShown; more > 0 {
			found = append(found[:factsShown], fmt.Sprintf("%d more", more))
		}
		return "other workloads ran on the nodes that carried load: " + strings.Join(found, ", ")
	})
	var list []result.Warning
	for _, m := range messages {
		list = append(list, result.Warning{
			Code: "foreign-workloads", Message: m + of(variants[m], env),
			Hint: "their noise is in the results, and in the CPU of the machine: drain the nodes or choose others",
		})
	}
	return list
}
