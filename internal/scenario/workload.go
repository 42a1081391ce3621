package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/scenario/workload"
	"github.com/cnibench/cnibench/internal/stage"
)

// ofWorkload makes a scenario of a load that a user defines.
func ofWorkload(w workload.Workload) Scenario {
	s := Scenario{
		Name: w.Name, Title: w.Title, Description: w.Description, Definition: w.Digest,
		Parameters: append(append([]parameter.Parameter{}, w.Parameters...), stage.Placement, stage.ClientEnd),
		Requires:   requirementsOf(w.Requires),
		Expected:   w.Duration,
		Run: func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
			return measureWorkload(ctx, b, w, cell.Parameters)
		},
	}
	if w.Server != nil {
		s.Parameters = append(s.Parameters, stage.ServerEnd, stage.Path)
	}
	s.Parameters = stage.WithPinning(s.Parameters)
	for _, v := range w.Values {
		s.Metrics = append(s.Metrics, v.Metric)
	}
	s.Metrics = append(s.Metrics, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory)
	return s
}

func requirementsOf(words []string) Requires {
	var r Requires
	for _, word := range words {
		switch word {
		case "policy":
			r.Policy = true
		case "l7":
			r.L7 = true
		case "services":
			r.Services = true
		case "dns":
			r.DNS = true
		case "k6":
			r.HTTPLoad = true
		}
	}
	return r
}

// measureWorkload runs the user's server and client as every other load is
// run, and finds in the client's output what the definition says is there.
func measureWorkload(ctx context.Context, b *stage.Bench, w workload.Workload, v parameter.Values) (stage.Measurement, error) {
	ends := stage.EndsOf(v)
	ends.Image = w.Image
	pair, err := b.Stage.Pair(ctx, ends)
	if err != nil {
		return stage.Measurement{}, err
	}
	to, err := workloadTarget(ctx, b, pair, w, v)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := putFiles(ctx, b, pair, w.Files); err != nil {
		return stage.Measurement{}, err
	}
	sampling, err := b.StartSampling(ctx, w.Duration(v), pair.Client, pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	ran, err := runWorkload(ctx, b, pair, w, v, to)
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	out, err := workloadOutput(ctx, b, pair, w, ran)
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateWorkload(b, w, v, ran, out, series)
}

// workloadTarget proves how the client reaches the server.
func workloadTarget(ctx context.Context, b *stage.Bench, pair stage.Pair, w workload.Workload, v parameter.Values) (workload.Target, error) {
	if w.Server == nil {
		return workload.Target{}, nil
	}
	ports := stage.Ports{First: w.Server.Listen[0], Count: len(w.Server.Listen), UDP: w.Server.UDP}
	address, err := b.Stage.Address(ctx, pair, v.Text(stage.Path.Name), ports)
	if err != nil {
		return workload.Target{}, err
	}
	to := workload.Target{Host: address.Host}
	for _, p := range w.Server.Listen {
		to.Ports = append(to.Ports, address.Port(p))
	}
	return to, nil
}

// evaluateWorkload makes the trial's result: the figures in the output, and
// the machines' over the same time.
func evaluateWorkload(b *stage.Bench, w workload.Workload, v parameter.Values, ran workloadRun, out workload.Output, series stage.Sampled) (stage.Measurement, error) {
	life := sample.Window{Start: ran.client.Start, End: ran.client.End}
	window, err := w.WindowOf(out, v, life)
	if err != nil {
		return stage.Measurement{}, err
	}
	values, valuesErr := w.Measured(out)
	facts, factsErr := w.FactsOf(out)
	if err := errors.Join(valuesErr, factsErr); err != nil {
		return stage.Measurement{}, fmt.Errorf("%s: %w", w.Client.Command[0], err)
	}
	m, _ := b.MeasureWindow("", window, series)
	facts["client"], facts["server"] = stage.EndWords(ran.pair.Client), stage.EndWords(ran.pair.Server)
	facts["definition"] = w.Digest
	facts["image"] = w.Image
	if w.Image == "" {
		facts["image"] = b.Cluster.ToolsImage()
	}
	facts["window"] = "the client's life after the warm-up"
	if w.Window != nil {
		facts["window"] = "as the client's output has it"
	}
	m.Lead(stage.Figures{Values: values})
	m.Marks = append(m.Marks, stage.LimitedMarks(ran.busiest())...)
	maps.Copy(m.Facts, facts)
	return m, nil
}
