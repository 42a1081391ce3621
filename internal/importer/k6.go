package importer

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/cnibench/cnibench/internal/result"
)

// readK6 reads end-of-test summaries, as --summary-export writes them or as a
// script's handleSummary gets them.
func readK6(s *source, o Options) (*data, error) {
	all, err := eachFile(s, o, "k6", func(file string, content []byte, d *draft) error {
		var summary k6Summary
		if err := json.Unmarshal(content, &summary); err != nil || summary.Metrics == nil {
			d.fail("it is no summary of k6: %d bytes without metrics", len(content))
			return nil
		}
		summary.read(d)
		return nil
	}, ".json")
	if err != nil {
		return nil, err
	}
	return all.data(path.Base(s.path))
}

// eachFile makes a trial of every file, by its place.
func eachFile(s *source, o Options, scenario string, read func(string, []byte, *draft) error, ends ...string) (*drafts, error) {
	files, err := s.files(ends...)
	if err != nil {
		return nil, err
	}
	places, err := s.places(files, o.Pattern)
	if err != nil {
		return nil, err
	}
	variants, scenarios, all := names{}, names{}, newDrafts()
	from := map[key]string{}
	for _, file := range files {
		content, err := s.read(file)
		if err != nil {
			return nil, err
		}
		at := places[file]
		if at.scenario == "" {
			at.scenario = scenario
		}
		k := key{block: at.block}
		if k.variant, err = variants.of(at.variant); err == nil {
			k.cell, err = scenarios.of(at.scenario)
		}
		if err != nil {
			return nil, s.problem(file, 0, "rename the file, or say what it is with --name", "%v", err)
		}
		if first, twice := from[k]; twice {
			return nil, s.problem(file, 0, "name them apart: by block, or by a directory or pattern with the scenario",
				"it is %s, %s in block %d, and so is %s", k.variant, k.cell, k.block, first)
		}
		from[k] = file
		if err := read(file, content, all.at(k)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// k6Summary has each metric's figures either directly or in values.
type k6Summary struct {
	Metrics map[string]map[string]any `json:"metrics"`
}

// figure returns a figure of a metric under one of its names.
func (s k6Summary) figure(metric string, names ...string) (float64, bool) {
	table := s.Metrics[metric]
	if values, nested := table["values"].(map[string]any); nested {
		table = values
	}
	for _, name := range names {
		if x, ok := table[name].(float64); ok {
			return x, true
		}
	}
	return 0, false
}

func (s k6Summary) read(d *draft) {
	requests, ok := s.figure("http_reqs", "count")
	if !ok || !(requests > 0) {
		d.fail("the summary has no requests (http_reqs)")
		return
	}
	partial := ""
	failed, knows := s.figure("http_req_failed", "rate", "value")
	switch {
	case knows && failed >= 1:
		d.fail("none of k6's %v requests was answered", requests)
		return
	case knows && failed > 0:
		partial = "requests that failed are among them"
	}
	for _, f := range []struct {
		metric result.Metric
		names  []string
	}{
		{latency("p99", 0.10, "99th percentile"), []string{"p(99)"}},
		{latency("p50", 0.05, "median"), []string{"med", "p(50)"}},
		{latency("p95", 0.10, "95th percentile"), []string{"p(95)"}},
		{latency("mean", 0.05, "mean"), []string{"avg"}},
	} {
		if ms, ok := s.figure("http_req_duration", f.names...); ok {
			d.add(f.metric, ms/1000, partial)
		} else {
			d.lack(f.metric.Name, "the summary has no "+f.names[0]+" of http_req_duration; k6 run --summary-trend-stats adds it")
		}
	}
	if perSecond, ok := s.figure("http_reqs", "rate"); ok {
		d.add(rate, perSecond, partial)
	}
	if knows {
		d.add(errorShare, 100*failed, "")
	} else {
		d.lack(errorShare.Name, "the summary does not say how many requests failed (http_req_failed)")
	}
	if dropped, ok := s.figure("dropped_iterations", "count"); ok && dropped > 0 {
		d.marks = append(d.marks, result.Mark{Name: "generator-limited", Detail: fmt.Sprintf("k6 dropped %v iterations because all users waited for answers", dropped)})
	}
}
