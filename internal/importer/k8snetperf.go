package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// netperfRow is one test of k8s-netperf, in a table or in JSON.
type netperfRow struct {
	Driver      string  `json:"driver"`
	Profile     string  `json:"profile"`
	Local       bool    `json:"local"`
	HostNetwork bool    `json:"hostNetwork"`
	Service     bool    `json:"service"`
	Parallelism int     `json:"parallelism"`
	Samples     int     `json:"samples"`
	MessageSize int     `json:"messageSize"`
	Burst       int     `json:"burst"`
	Throughput  float64 `json:"throughput"`
	Unit        string  `json:"tputMetric"`
	Latency     float64 `json:"latency"`
	LatencyUnit string  `json:"ltcyMetric"`
	Loss        float64 `json:"udpLossPercent"`
	line        int
}

// netperfColumns are the columns that are read, by name: their number and
// order changed with the versions.
var netperfColumns = map[string]func(*netperfRow, string) error{
	"Driver":                   func(r *netperfRow, s string) error { r.Driver = s; return nil },
	"Profile":                  func(r *netperfRow, s string) error { r.Profile = s; return nil },
	"Same node":                func(r *netperfRow, s string) (err error) { r.Local, err = strconv.ParseBool(s); return },
	"Host Network":             func(r *netperfRow, s string) (err error) { r.HostNetwork, err = strconv.ParseBool(s); return },
	"Service":                  func(r *netperfRow, s string) (err error) { r.Service, err = strconv.ParseBool(s); return },
	"Parallelism":              func(r *netperfRow, s string) (err error) { r.Parallelism, err = strconv.Atoi(s); return },
	"# of Samples":             func(r *netperfRow, s string) (err error) { r.Samples, err = strconv.Atoi(s); return },
	"Message Size":             func(r *netperfRow, s string) (err error) { r.MessageSize, err = strconv.Atoi(s); return },
	"Burst":                    func(r *netperfRow, s string) (err error) { r.Burst, err = strconv.Atoi(s); return },
	"Avg Throughput":           func(r *netperfRow, s string) (err error) { r.Throughput, err = strconv.ParseFloat(s, 64); return },
	"Throughput Metric":        func(r *netperfRow, s string) error { r.Unit = s; return nil },
	"99%tile Observed Latency": func(r *netperfRow, s string) (err error) { r.Latency, err = strconv.ParseFloat(s, 64); return },
	"Latency Metric":           func(r *netperfRow, s string) error { r.LatencyUnit = s; return nil },
}

// netperfNeeded are columns without which a table says nothing.
var netperfNeeded = []string{"Profile", "Host Network", "Avg Throughput", "Throughput Metric"}

func readK8sNetperf(s *source, o Options) (*data, error) {
	files, err := s.files(".csv", ".json")
	if err != nil {
		return nil, err
	}
	places, err := s.places(files, o.Pattern)
	if err != nil {
		return nil, err
	}
	all, variants, scenarios := newDrafts(), names{}, names{}
	seen := map[key]string{}
	for _, file := range files {
		content, err := s.read(file)
		if err != nil {
			return nil, err
		}
		rows, err := netperfRows(s, file, content)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			at := places[file]
			if r.HostNetwork {
				at.variant += "-host"
			}
			k := key{block: at.block}
			if k.variant, err = variants.of(at.variant); err == nil {
				k.cell, err = scenarios.of(strings.Trim(at.scenario+"-"+r.scenario(), "-"))
			}
			if err == nil && seen[k] != "" {
				err = fmt.Errorf("%s of %s in block %d is already in %s", k.cell, k.variant, k.block, seen[k])
			}
			if err != nil {
				return nil, s.problem(file, r.line, "give every file its own variant or block with --name", "%v", err)
			}
			seen[k] = file
			r.read(all.at(k))
		}
	}
	d, err := all.data(path.Base(s.path))
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all.list, func(t *draft) bool { return strings.HasSuffix(t.variant, "-host") }); i >= 0 {
		d.base = all.list[i].variant
	}
	d.warnings = []result.Warning{{
		Code: "source-means", Message: "every value is the source's mean over its samples, which it does not export; so is the 99th percentile of latency, and a mean of percentiles is none",
		Hint: "import several files as blocks: then a file is a sample",
	}}
	return d, nil
}

// scenario names what was measured, but for the network of the pods.
func (r netperfRow) scenario() string {
	name := r.Driver + "-" + r.Profile
	if r.Local {
		name += "-same-node"
	}
	if r.Service {
		name += "-service"
	}
	name += fmt.Sprintf(".parallelism=%d.size=%d", r.Parallelism, r.MessageSize)
	if r.Burst > 0 {
		name += fmt.Sprintf(".burst=%d", r.Burst)
	}
	return strings.TrimLeft(name, "-")
}

// read gives the trial what a test says. A throughput of 0 is how the source
// writes a test that failed.
func (r netperfRow) read(d *draft) {
	if r.Throughput == 0 {
		d.fail("%s", zeroFailed)
		return
	}
	if r.Samples > 0 {
		d.fact("samples of the source", strconv.Itoa(r.Samples))
	}
	u := unitOf(r.Unit)
	if strings.EqualFold(r.Unit, "OP/s") {
		u = unit{"1/s", 1}
	}
	switch {
	case u.name == "bit/s" && strings.HasPrefix(r.Profile, "UDP"):
		d.add(goodput, r.Throughput*u.factor, "")
	case u.name == "bit/s":
		d.add(throughput, r.Throughput*u.factor, "")
	case u.name == "1/s":
		d.add(rate, r.Throughput, "")
	default:
		d.lack(throughput.Name, fmt.Sprintf("its unit is %q", r.Unit))
	}
	if r.Latency != 0 {
		lu := unitOf(r.LatencyUnit)
		if lu.name != "s" {
			d.lack("latency-p99", fmt.Sprintf("its unit is %q", r.LatencyUnit))
		} else {
			d.add(latency("p99", 0.10, "mean of the samples' 99th percentiles"), r.Latency*lu.factor, "a mean of 99th percentiles, which is none of all requests")
		}
	}
	if r.Loss != 0 {
		d.add(loss, r.Loss, "")
	} else if strings.HasPrefix(r.Profile, "UDP_STREAM") {
		d.lack(loss.Name, "the source says 0, which it also writes when it does not know, or it is in another of its files")
	}
}

func netperfRows(s *source, file string, content []byte) ([]netperfRow, error) {
	if trimmed := bytes.TrimSpace(content); strings.HasSuffix(file, ".json") || bytes.HasPrefix(trimmed, []byte("[")) {
		var rows []netperfRow
		if err := json.Unmarshal(trimmed, &rows); err != nil {
			return nil, s.problem(file, 0, "give what k8s-netperf --json printed, without its log", "it is no JSON list of results: %v", err)
		}
		return rows, nil
	}
	r := csv.NewReader(bytes.NewReader(content))
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil || len(records) == 0 {
		return nil, s.problem(file, 1, "give a file result-….csv of k8s-netperf", "it is no table: %v", err)
	}
	header := records[0]
	for _, name := range netperfNeeded {
		if !slices.Contains(header, name) {
			return nil, s.problem(file, 1, "give a file result-….csv; those that begin with cpu-, pod…, vswitch- and loss-rt- are others", "the column %q is missing", name)
		}
	}
	var rows []netperfRow
	for i, record := range records[1:] {
		row := netperfRow{line: i + 2}
		for j, name := range header {
			set, known := netperfColumns[name]
			if !known || j >= len(record) || strings.TrimSpace(record[j]) == "" {
				continue
			}
			if err := set(&row, strings.TrimSpace(record[j])); err != nil {
				return nil, s.problem(file, row.line, "copy the file again", "%s is %q", name, record[j])
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
