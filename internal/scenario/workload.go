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
)

// ofWorkload makes a scenario of a load that a user defines.
func ofWorkload(w workload.Workload) Scenario {
	s := Scenario{
		Name: w.Name, Title: w.Title, Description: w.Description, Definition: w.Digest,
		Parameters: append(append([]parameter.Parameter{}, w.Parameters...), placement, clientEnd),
		Requires:   requirementsOf(w.Requires),
		Expected:   w.Duration,
		Run: func(ctx context.Context, b *Bench, cell plan.Cell) (Measurement, error) {
			return measureWorkload(ctx, b, w, cell.Parameters)
		},
	}
	if w.Server != nil {
		s.Parameters = append(s.Parameters, serverEnd, path)
	}
	s.Parameters = withPinning(s.Parameters)
	for _, v := range w.Values {
		s.Metrics = append(s.Metrics, v.Metric)
	}
	s.Metrics = append(s.Metrics, cpu, cniCPU, cniMemory, memory)
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
func measureWorkload(ctx context.Context, b *Bench, w workload.Workload, v parameter.Values) (Measurement, error) {
	ends := endsOf(v)
	ends.Image = w.Image
	pair, err := b.Stage.Pair(ctx, ends)
	if err != nil {
		return Measurement{}, err
	}
	to, err := b.workloadTarget(ctx, pair, w, v)
	if err != nil {
		return Measurement{}, err
	}
	if err := b.putFiles(ctx, pair, w.Files); err != nil {
		return Measurement{}, err
	}
	sampling, err := b.startSampling(ctx, w.Duration(v), pair.Client, pair.Server)
	if err != nil {
		return Measurement{}, err
	}
	ran, err := b.runWorkload(ctx, pair, w, v, to)
	if err != nil {
		sampling.cancel()
		return Measurement{}, err
	}
	series, err := sampling.stop(ctx)
	if err != nil {
		return Measurement{}, err
	}
	out, err := b.workloadOutput(ctx, pair, w, ran)
	if err != nil {
		return Measurement{}, err
	}
	return b.evaluateWorkload(w, v, ran, out, series)
}

// workloadTarget proves how the client reaches the server.
func (b *Bench) workloadTarget(ctx context.Context, pair Pair, w workload.Workload, v parameter.Values) (workload.Target, error) {
	if w.Server == nil {
		return workload.Target{}, nil
	}
	ports := Ports{First: w.Server.Listen[0], Count: len(w.Server.Listen), UDP: w.Server.UDP}
	address, err := b.Stage.Address(ctx, pair, v.Text(path.Name), ports)
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
func (b *Bench) evaluateWorkload(w workload.Workload, v parameter.Values, ran workloadRun, out workload.Output, series sampled) (Measurement, error) {
	life := sample.Window{Start: ran.client.Start, End: ran.client.End}
	window, err := w.WindowOf(out, v, life)
	if err != nil {
		return Measurement{}, err
	}
	values, valuesErr := w.Measured(out)
	facts, factsErr := w.FactsOf(out)
	if err := errors.Join(valuesErr, factsErr); err != nil {
		return Measurement{}, fmt.Errorf("%s: %w", w.Client.Command[0], err)
	}
	m, _ := b.measureWindow("", window, series)
	facts["client"], facts["server"] = endWords(ran.pair.Client), endWords(ran.pair.Server)
	facts["definition"] = w.Digest
	facts["image"] = w.Image
	if w.Image == "" {
		facts["image"] = b.Cluster.ToolsImage()
	}
	facts["window"] = "the client's life after the warm-up"
	if w.Window != nil {
		facts["window"] = "as the client's output has it"
	}
	m.lead(figures{values: values})
	m.Marks = append(m.Marks, limitedMarks(ran.busiest())...)
	maps.Copy(m.Facts, facts)
	return m, nil
}
