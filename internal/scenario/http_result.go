package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

func evaluateHTTP(b *stage.Bench, ran httpRun, series stage.Sampled, v parameter.Values) (stage.Measurement, error) {
	if len(ran.client.Processes) != 1 {
		return stage.Measurement{}, fmt.Errorf("k6 in %s: %d processes were reported, not one", ran.pair.Client.Name, len(ran.client.Processes))
	}
	k6, err := load.ParseK6(ran.client.Processes[0])
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("k6 in %s: %w", ran.pair.Client.Name, err)
	}
	if ran.goal.target == nil && ran.server.Requests == 0 {
		return stage.Measurement{}, errors.New("k6 had answers, and the web server gave none")
	}
	values, err := httpValues(k6)
	if err != nil {
		return stage.Measurement{}, err
	}
	m, _ := b.MeasureWindow("", k6.Window, series)
	m.Lead(stage.Figures{Values: values, Marks: httpMarks(k6, v.Duration("threshold"))})
	maps.Copy(m.Facts, httpFacts(ran, k6, v.Duration("threshold")))
	return m, nil
}

func httpValues(k6 load.K6Result) ([]result.Value, error) {
	rate, err := k6.Rate()
	if err != nil {
		return nil, err
	}
	values := []result.Value{
		{Metric: httpP99, Value: k6.P99.Seconds()}, {Metric: httpP50, Value: k6.P50.Seconds()}, {Metric: httpP95, Value: k6.P95.Seconds()},
		{Metric: httpMean, Value: k6.Mean.Seconds()}, {Metric: httpSD, Value: k6.SD.Seconds()},
		{Metric: httpRate, Value: rate}, {Metric: httpErrors, Value: 100 * float64(k6.Failed) / float64(k6.Requests)},
	}
	if k6.P999 != nil {
		values = append(values, result.Value{Metric: httpP999, Value: k6.P999.Seconds()})
	}
	return values, nil
}

// httpMarks are what a reader must know before he uses the figures.
func httpMarks(k6 load.K6Result, threshold time.Duration) []result.Mark {
	var marks []result.Mark
	if why := k6.Limited(); why != "" {
		marks = append(marks, result.Mark{Name: "generator-limited", Detail: why})
	}
	if k6.Failed > 0 {
		marks = append(marks, result.Mark{Name: "requests-failed", Detail: fmt.Sprintf("%d of %d, the first because: %s", k6.Failed, k6.Requests, k6.Problem)})
	}
	if threshold > 0 && k6.P99 > threshold {
		marks = append(marks, result.Mark{Name: "threshold-broken", Detail: fmt.Sprintf("p99 is %s, and %s was promised", k6.P99, threshold)})
	}
	return marks
}

func httpFacts(ran httpRun, k6 load.K6Result, threshold time.Duration) map[string]string {
	facts := map[string]string{
		"client":             stage.EndWords(ran.pair.Client),
		"requests":           fmt.Sprintf("%d after the warm-up, %d failed, %d dropped in all", k6.Requests, k6.Failed, k6.Dropped),
		"late start p99":     k6.LateP99.String(),
		"slowest request":    k6.Max.String(),
		"client sysctls":     sysctlLine(ran.client.Netns),
		"client CPU seconds": fmt.Sprintf("%.2f", ran.client.Processes[0].UserSeconds+ran.client.Processes[0].SystemSeconds),
	}
	if threshold > 0 {
		facts["threshold"] = fmt.Sprintf("p99 %s: %s", threshold, map[bool]string{true: "kept", false: "broken"}[k6.P99 <= threshold])
	}
	if ran.goal.target != nil {
		maps.Copy(facts, targetFacts(*ran.goal.target, k6.Seen))
	} else {
		maps.Copy(facts, ownFacts(ran))
	}
	return facts
}

// ownFacts tell of our server and the way to it.
func ownFacts(ran httpRun) map[string]string {
	facts := map[string]string{
		"server": stage.EndWords(ran.pair.Server), "requests answered": fmt.Sprint(ran.server.Requests), // as the server counts
	}
	maps.Copy(facts, ran.goal.facts)
	// k6 tells its version to servers.
	for _, agent := range slices.Sorted(maps.Keys(ran.server.Connections)) {
		if version, ok := strings.CutPrefix(agent, "Grafana k6/"); ok {
			facts["k6"] = version
			facts["connections"] = fmt.Sprint(ran.server.Connections[agent])
		}
	}
	return facts
}
