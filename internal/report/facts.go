package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// machineFacts are the groups about one variant's machines, links and pods. What
// is equal in all places is said once; what is not, by place.
func machineFacts(v result.Variant) []factGroup {
	kernels, nodes, ends := map[string]result.Facts{}, map[string]result.Facts{}, map[string]result.Facts{}
	for _, k := range v.Kernels {
		kernels[strings.Join(k.Nodes, ", ")] = k.Facts
	}
	for _, n := range v.Nodes {
		if len(n.Facts.Values)+len(n.Facts.Missing) > 0 {
			nodes[n.Name] = n.Facts
		}
	}
	for name, f := range v.Ends {
		ends[name+" pod"] = f
	}
	unknown := map[string]result.Facts{}
	for _, places := range []map[string]result.Facts{kernels, nodes, ends} {
		maps.Copy(unknown, places)
	}
	return []factGroup{
		{Title: "Differences between client and server nodes", Differs: true, Facts: differences(v)},
		{Title: "MTU of every hop", Facts: hopFacts(v.Path)},
		{Title: "Kernels", Facts: kernelFacts(v.Kernels)},
		{Title: "What the kernels are", Code: true, Fold: true, Facts: merged(kernels)},
		{Title: "What the nodes are", Code: true, Fold: true, Facts: merged(nodes)},
		{Title: "What the load pods have", Code: true, Fold: true, Facts: merged(ends)},
		{Title: "What could not be read, and why", Code: true, Fold: true, Facts: missing(unknown)},
	}
}

func differences(v result.Variant) []fact {
	var list []fact
	for _, d := range v.NodeDifferences() {
		list = append(list, fact{d.Name, fmt.Sprintf("%s: %s; %s: %s", v.LoadNodes[0], d.A, v.LoadNodes[1], d.B)})
	}
	return list
}

// hopFacts puts the hops side by side, as packets pass them.
func hopFacts(path []result.Hop) []fact {
	var list []fact
	var way []string
	for _, h := range path {
		if h.Link == "" { // of the whole way
			list = append(list, fact{h.Place, fmt.Sprint(h.MTU)})
			continue
		}
		way = append(way, fmt.Sprintf("%s %s %d", h.Place, h.Link, h.MTU))
	}
	if len(way) > 0 {
		list = append([]fact{{"from pod to pod", strings.Join(way, " → ")}}, list...)
	}
	return list
}

// kernelFacts says which nodes share a kernel.
func kernelFacts(kernels []result.Kernel) []fact {
	var list []fact
	for _, k := range kernels {
		text := k.Values["kernel.release"]
		if len(k.Nodes) > 1 {
			text += ", shared: its facts are the machine's"
		}
		list = append(list, fact{strings.Join(k.Nodes, ", "), strings.TrimPrefix(text, ", ")})
	}
	return list
}

// merged lists the facts of several places by name.
func merged(places map[string]result.Facts) []fact {
	values := map[string]map[string][]string{} // by name and value: places
	for place, f := range places {
		for name, value := range compact(f.Values) {
			if values[name] == nil {
				values[name] = map[string][]string{}
			}
			values[name][value] = append(values[name][value], place)
		}
	}
	var list []fact
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, fact{name, byPlace(values[name], len(places))})
	}
	return list
}

// byPlace says one value if all places have it, and otherwise who has which.
func byPlace(values map[string][]string, places int) string {
	var parts []string
	for _, value := range slices.SortedFunc(maps.Keys(values), func(a, b string) int { return cmp.Compare(slices.Min(values[a]), slices.Min(values[b])) }) {
		if len(values[value]) == places {
			return value
		}
		slices.Sort(values[value])
		parts = append(parts, strings.Join(values[value], ", ")+": "+value)
	}
	return strings.Join(parts, "; ")
}

// compact puts the offloads of a link on three lines: there are some sixty.
func compact(values map[string]string) map[string]string {
	short := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		link, feature, is := strings.Cut(name, ".offload.")
		if !is {
			short[name] = values[name]
			continue
		}
		line, note := link+".offload on", ""
		switch value := values[name]; {
		case value == "off [fixed]":
			line = link + ".offload not offered"
		case strings.HasPrefix(value, "off"):
			line, note = link+".offload off", strings.TrimPrefix(value, "off")
		default:
			note = strings.TrimPrefix(value, "on")
		}
		if short[line] != "" {
			short[line] += ", "
		}
		short[line] += feature + note
	}
	return short
}

// missing lists reasons, and what is missing for each.
func missing(places map[string]result.Facts) []fact {
	reasons := map[string]map[string][]string{} // by reason and names: places
	for place, f := range places {
		names := map[string][]string{}
		for name, why := range f.Missing {
			names[why] = append(names[why], name)
		}
		for why, all := range names {
			slices.Sort(all)
			if reasons[why] == nil {
				reasons[why] = map[string][]string{}
			}
			text := strings.Join(all, " ")
			reasons[why][text] = append(reasons[why][text], place)
		}
	}
	var list []fact
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		list = append(list, fact{why, byPlace(reasons[why], -1)})
	}
	return list
}
