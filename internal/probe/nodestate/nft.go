package nodestate

import "strings"

// maxDepth is how many levels name a line: table, chain or set, and a map
// inside.
const maxDepth = 4

// parseNFTables reads the output of `nft -s list ruleset`. Tables of
// iptables-nft are left to iptables-save, those of kube-proxy change with
// Services.
func parseNFTables(listed string) []Item {
	var items []Item
	var path []string
	skip := false
	for line := range strings.Lines(listed) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line == "}":
			path = path[:max(0, len(path)-1)]
		case strings.HasPrefix(line, "table ") && strings.HasSuffix(line, "{") && len(path) == 0:
			name := strings.TrimSuffix(strings.TrimPrefix(line, "table "), " {")
			path, skip = []string{name}, ofIPTables(name) || strings.HasSuffix(name, " kube-proxy")
			if !skip {
				items = append(items, Item{NFTable, name, ""})
			}
		case strings.HasSuffix(line, "{"):
			path = append(path, strings.TrimSuffix(line, " {"))
			fallthrough
		default:
			if !skip && len(path) > 0 {
				items = append(items, Item{NFLine, path[0] + " " + strings.Join(path[1:min(len(path), maxDepth)], " ") + ": " + line, ""})
			}
		}
	}
	return items
}

// ofIPTables tells whether iptables-nft has a table of that name.
func ofIPTables(table string) bool {
	family, name, _ := strings.Cut(table, " ")
	if family != "ip" && family != "ip6" {
		return false
	}
	switch name {
	case "raw", "mangle", "nat", "filter", "security":
		return true
	}
	return false
}

// tableOf returns the table of an nftables line: "ip flannel-ipv4".
func tableOf(name string) string {
	f := strings.SplitN(name, " ", 3)
	return strings.Join(f[:min(2, len(f))], " ")
}

// parseIPSets reads the output of `ipset list -t`. kube-proxy's own sets change
// with Services.
func parseIPSets(listed string) []Item {
	var items []Item
	for line := range strings.Lines(listed) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case key == "Name":
			items = append(items, Item{IPSet, value, ""})
		case key == "Type" && len(items) > 0:
			items[len(items)-1].Detail = value
		}
	}
	kept := items[:0]
	for _, i := range items {
		ofKubeRouter := strings.HasPrefix(i.Name, "KUBE-SRC-") || strings.HasPrefix(i.Name, "KUBE-DST-")
		if !strings.HasPrefix(i.Name, "KUBE-") || ofKubeRouter {
			kept = append(kept, i)
		}
	}
	return kept
}
