package importer

import (
	"fmt"
	"strings"
)

// Format is a layout of files that can be imported.
type Format struct {
	Name string
	Help string // what it reads, in one line
	// Interleaved says whether a user may declare that variants took turns;
	// of the other formats it is known that they did not, or what they say.
	Interleaved bool
	// Named says whether a pattern may tell which file is what.
	Named bool
	read  func(*source, Options) (*data, error)
}

// Formats lists all formats, in the order in which help shows them.
func Formats() []Format {
	return []Format{
		{"csv", "your own numbers: columns block, variant, scenario, metric, value, unit", true, false, readCSV},
		{"iperf3", "reports of iperf3 -J: a file, or a directory with VARIANT/BLOCK.json", true, true, readIperf3},
		{"infrabuilder-2024", "results/ of the 40 Gbit/s CNI benchmark of 2024", false, false, readInfraBuilder},
		{"statexec", "series of statexec, .prom or .om: a file or a directory", true, true, readStatexec},
		{"knb", "archives of k8s-bench-suite, .knbdata, named VARIANT-runN", true, true, readKNB},
		{"k8s-netperf", "its result-….csv or JSON, by the names of columns", true, true, readK8sNetperf},
		{"perfdata", "kubernetes/perf-tests: netperf's table, or PerfData in JSON", true, true, readPerfData},
		{"k6", "end-of-test summaries in JSON", true, true, readK6},
	}
}

// FormatOf finds a format by its name.
func FormatOf(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q: there are %s", name, strings.Join(names, ", "))
}
