package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
)

// Distribution is how long the requests of one trial took.
type Distribution struct {
	Cell    string
	Variant string
	Block   int
	// Requests is how many there were, those without an answer included.
	Requests int64
	// Percentiles have rising quantiles. They end where fewer than ten requests
	// took longer, or where the requests beyond have no answer.
	Percentiles []Percentile
}

// Percentile is the time, in seconds, that a fraction of all requests did not
// exceed.
type Percentile struct {
	Quantile float64
	Time     float64
}

// quantiles are those that a curve is made of: about equally far apart where
// each step divides the rest by the same.
var quantiles = []float64{
	0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998,
	0.9999, 0.99995, 0.99999,
}

// beyond is how many requests must have taken longer than a percentile.
const beyond = 10

// ReadDistributions reads from the evidence of the trials that sent requests at
// intended times how long each took. Trials whose evidence is not there are left
// out; those have percentiles as metrics only.
func ReadDistributions(d *result.Dir, trials []result.Trial) ([]Distribution, error) {
	var all []Distribution
	for _, t := range result.LastAttempts(trials) {
		if _, has := t.Value("latency-p50"); t.Status != result.OK || !has {
			continue
		}
		if _, err := d.Evidence(t, "latency.hlog"); errors.Is(err, fs.ErrNotExist) {
			continue // of another generator, or a copy without raw/
		}
		data, err := d.Evidence(t, "client.json")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var report pace.Report
		if err := json.Unmarshal(data, &report); err != nil {
			return nil, fmt.Errorf("reading %s/client.json: %w", t.Raw, err)
		}
		all = append(all, newDistribution(t, report))
	}
	return all, nil
}

func newDistribution(t result.Trial, report pace.Report) Distribution {
	missing := report.Counts.Missing()
	d := Distribution{Cell: t.Cell, Variant: t.Variant, Block: t.Block, Requests: report.Response.Count() + missing}
	for _, q := range quantiles {
		if (1-q)*float64(d.Requests) < beyond-1e-6 {
			break
		}
		at, answered := report.Response.Percentile(q, missing)
		if !answered {
			break
		}
		d.Percentiles = append(d.Percentiles, Percentile{q, at.Seconds()})
	}
	return d
}
