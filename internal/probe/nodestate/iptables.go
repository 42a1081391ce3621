package nodestate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// parseIPTables reads the output of iptables-save. Names begin with the tool
// and the table. Built-in chains are items only if they have a policy other
// than ACCEPT: using a table at all makes them.
func parseIPTables(tool, saved string) []Item {
	var items []Item
	table := ""
	for line := range strings.Lines(saved) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "*"):
			table = line[1:]
		case strings.HasPrefix(line, ":"):
			f := strings.Fields(line[1:])
			if len(f) < 2 || ofKubernetes(f[0]) || f[1] == "ACCEPT" {
				continue
			}
			chain := Item{Chain, tool + " " + table + " " + f[0], ""}
			if f[1] != "-" {
				chain.Detail = "policy " + f[1]
			}
			items = append(items, chain)
		case strings.HasPrefix(line, "-A "):
			if !leadsToKubernetes(line) {
				items = append(items, Item{FilterRule, tool + " " + table + " " + line, ""})
			}
		}
	}
	return items
}

// ofKubernetes tells whether a chain is one of kube-proxy or of the kubelet.
// kube-router's begin with KUBE- too.
func ofKubernetes(chain string) bool {
	if !strings.HasPrefix(chain, "KUBE-") {
		return false
	}
	for _, prefix := range []string{"KUBE-ROUTER-", "KUBE-NWPLCY-", "KUBE-POD-FW-"} {
		if strings.HasPrefix(chain, prefix) {
			return false
		}
	}
	return true
}

func leadsToKubernetes(rule string) bool {
	f := strings.Fields(rule)
	for i, word := range f[:len(f)-1] {
		if (word == "-A" || word == "-j") && ofKubernetes(f[i+1]) {
			return true
		}
	}
	return false
}

// removal makes, for every tool, the input of its -restore that deletes rules
// and chains: first what refers to the chains, then their content, then they.
func removal(items []Item) map[string]string {
	type place struct{ tool, table string }
	rules, flushes, deletes := map[place][]string{}, map[place][]string{}, map[place][]string{}
	doomed := map[string]bool{}
	for _, i := range items {
		if i.Kind == Chain {
			doomed[i.Name] = true
		}
	}
	for _, i := range items {
		f := strings.SplitN(i.Name, " ", 3)
		if len(f) < 3 {
			continue
		}
		at := place{f[0], f[1]}
		switch {
		case i.Kind == Chain:
			flushes[at] = append(flushes[at], "-F "+f[2])
			deletes[at] = append(deletes[at], "-X "+f[2])
		case i.Kind == FilterRule && !doomed[f[0]+" "+f[1]+" "+fieldOf(f[2], 1)]:
			rules[at] = append(rules[at], "-D"+strings.TrimPrefix(f[2], "-A"))
		}
	}
	places := map[place]bool{}
	for _, m := range []map[place][]string{rules, flushes} {
		for at := range m {
			places[at] = true
		}
	}
	sorted := slices.SortedFunc(maps.Keys(places), func(a, b place) int { return strings.Compare(a.tool+a.table, b.tool+b.table) })
	input := map[string]string{}
	for _, at := range sorted {
		lines := slices.Concat(rules[at], flushes[at], deletes[at])
		input[at.tool] += fmt.Sprintf("*%s\n%s\nCOMMIT\n", at.table, strings.Join(lines, "\n"))
	}
	return input
}

// inChainOf tells whether an item is a rule in a chain among others.
func inChainOf(i Item, others []Item) bool {
	if i.Kind != FilterRule {
		return false
	}
	f := strings.Fields(i.Name) // TOOL TABLE -A CHAIN …
	if len(f) < 4 {
		return false
	}
	return slices.Contains(others, Item{Chain, f[0] + " " + f[1] + " " + f[3], ""})
}
