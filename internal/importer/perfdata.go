package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// zeroFailed is why a zero is no value where a source writes one for
// everything that failed.
const zeroFailed = "the source says 0, which it also writes when a test failed"

// readPerfData reads tables of perf-tests' netperf (.csv), and PerfData
// (.json) as ClusterLoader2 and the Cilium CLI write it.
func readPerfData(s *source, o Options) (*data, error) {
	files, err := s.files(".csv", ".json")
	if err != nil {
		return nil, err
	}
	places, err := s.places(files, o.Pattern)
	if err != nil {
		return nil, err
	}
	p := perfData{s, newDrafts(), names{}, names{}, names{}, map[string]result.Metric{}}
	for _, file := range files {
		content, err := s.read(file)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(file, ".json") {
			err = p.readJSON(file, places[file], content)
		} else {
			err = p.readTable(file, places[file], content)
		}
		if err != nil {
			return nil, err
		}
	}
	d, err := p.all.data(path.Base(s.path))
	if err == nil {
		d.warnings = []result.Warning{{
			Code: "source-zero", Message: "the source writes 0 for what failed and for what was not measured: every 0 is taken for that",
			Hint: "a loss that was really 0 is among them",
		}}
	}
	return d, err
}

type perfData struct {
	source                       *source
	all                          *drafts
	variants, scenarios, metrics names
	declared                     map[string]result.Metric // by "scenario metric"
}

// draft returns the trial of a file's scenario.
func (p *perfData) draft(file string, at place, scenario string) (*draft, error) {
	k := key{block: at.block}
	var err error
	if k.variant, err = p.variants.of(at.variant); err == nil {
		k.cell, err = p.scenarios.of(strings.Trim(at.scenario+"-"+scenario, "- "))
	}
	if err != nil {
		return nil, p.source.problem(file, 0, "say what the file is with --name", "%v", err)
	}
	return p.all.at(k), nil
}

// readJSON reads {"version", "dataItems": [{"data", "unit", "labels"}]}.
func (p *perfData) readJSON(file string, at place, content []byte) error {
	var doc struct {
		Items []struct {
			Data   map[string]float64 `json:"data"`
			Unit   string             `json:"unit"`
			Labels map[string]string  `json:"labels"`
		} `json:"dataItems"`
	}
	if err := json.Unmarshal(content, &doc); err != nil {
		return p.source.problem(file, 0, "give files of PerfData: {\"version\": …, \"dataItems\": […]}", "it is no PerfData: %v", err)
	}
	if len(doc.Items) == 0 {
		return p.source.problem(file, 0, "give files of PerfData: {\"version\": …, \"dataItems\": […]}", "it has no dataItems")
	}
	for _, item := range doc.Items {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(item.Labels)) {
			parts = append(parts, item.Labels[name])
		}
		d, err := p.draft(file, at, strings.Join(append(parts, "data")[:max(1, len(parts))], "-"))
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(item.Data)) {
			if err := p.value(file, d, name, item.Unit, item.Data[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// perfUnits are units of PerfData that are not those of everybody. iperf 2
// counts in 1024 bytes.
var perfUnits = map[string]unit{
	"kbytes/sec": {"bit/s", 8 * 1024}, "percentage": {"percent", 1}, "%": {"percent", 1}, "OP/s": {"1/s", 1},
}

func (p *perfData) value(file string, d *draft, name, unitName string, x float64) error {
	metric, err := p.metrics.of(strings.ToLower(name))
	if err != nil {
		return p.source.problem(file, 0, "take the entry away", "%v", err)
	}
	u, own := perfUnits[unitName]
	if !own {
		u = unitOf(unitName)
	}
	if u.name == "" {
		u.name = "1"
	}
	m := result.Metric{Name: metric, Unit: u.name, Better: betterOf(u.name), Scale: result.Ratio, Margin: defaultMargin}
	if m.Better == "" {
		m.Better = result.Lower
	}
	if u.name == "percent" {
		m.Scale, m.Margin = result.Difference, 0.1
	}
	place := d.cell + " " + metric
	if first, known := p.declared[place]; known && first != m {
		return p.source.problem(file, 0, "import files of one version of the source", "the unit of %s in %s is %q, and elsewhere %q", metric, d.cell, m.Unit, first.Unit)
	}
	p.declared[place] = m
	if x == 0 {
		d.lack(metric, zeroFailed)
		return nil
	}
	d.add(m, x*u.factor, "")
	return nil
}

// readTable reads a header MSS,Maximum,96,160,… and a line for each test, in
// Mbit/s. A test without a message size has its value in the second column
// alone.
func (p *perfData) readTable(file string, at place, content []byte) error {
	r := csv.NewReader(bytes.NewReader(content))
	r.FieldsPerRecord, r.TrimLeadingSpace, r.LazyQuotes = -1, true, true
	header, err := r.Read()
	if err != nil || len(header) < 2 || !strings.EqualFold(strings.TrimSpace(header[0]), "MSS") {
		return p.source.problem(file, 1, "give a results file of perf-tests' netperf", "it does not begin with MSS,Maximum,…")
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return p.source.problem(file, 0, "copy the file again", "%v", err)
		}
		line, _ := r.FieldPos(0)
		if err := p.tableRow(file, line, at, header, record); err != nil {
			return err
		}
	}
}

func (p *perfData) tableRow(file string, line int, at place, header, record []string) error {
	test := strings.TrimSpace(record[0])
	sizes := 0
	for i := 1; i < len(record); i++ {
		text := strings.TrimSpace(record[i])
		if text == "" || i == 1 && len(record) > 2 && strings.TrimSpace(strings.Join(record[2:], "")) != "" {
			continue // the largest of the others is none of its own
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return p.source.problem(file, line, "copy the file again", "%q is no number", text)
		}
		scenario := test
		if i > 1 && i < len(header) {
			scenario = fmt.Sprintf("%s.mss=%s", test, strings.TrimSpace(header[i]))
		} else if i > 1 {
			return p.source.problem(file, line, "copy the file again", "it has more fields than the header")
		}
		d, err := p.draft(file, at, scenario)
		if err != nil {
			return err
		}
		sizes++
		if x == 0 {
			d.fail("%s", zeroFailed)
			continue
		}
		d.add(throughput, x*1e6, "")
	}
	if sizes > 0 {
		return nil
	}
	d, err := p.draft(file, at, test)
	if err == nil {
		d.fail("the source has no value of it")
	}
	return err
}
