package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/probe/stream"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Goals of the search: those of the parameters, or FD.io CSIT's.
const (
	zeroLossGoals = "parameters"
	csitGoals     = "csit"
)

var (
	ndr = result.Metric{Name: "ndr", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "non-drop rate: the highest offered rate found without loss, in bits of Ethernet frames"}
	pdr = result.Metric{Name: "pdr", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "partial drop rate: the highest offered rate found with at most 0.5 % loss, in bits of Ethernet frames"}
	ndrPackets = result.Metric{Name: "ndr-packets", Unit: "1/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "the non-drop rate in packets"}
	pdrLoss = result.Metric{Name: "pdr-loss", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "packets lost at the partial drop rate, in the median of its trials or worse"}
)

var zeroLossParameters = []parameter.Parameter{
	{Name: "size", Kind: parameter.Bytes, Default: []string{"64"}, Min: fmt.Sprint(stream.MinSize), Max: "9018",
		Help: "Ethernet frame with header and check sequence; RFC 2544 has 64, 128, 256, 512, 1024, 1280, 1518"},
	{Name: "goals", Kind: parameter.Choice, Default: []string{zeroLossGoals}, Choices: []string{zeroLossGoals, csitGoals},
		Help: "csit: those of FD.io CSIT, width 0.5 % and duration-sum 21s, with a budget of 10m"},
	{Name: "width", Kind: parameter.Number, Default: []string{"0.02"}, Min: "0.001", Max: "0.2",
		Help: "how far apart the bounds of a rate may lie, as a share of the upper one"},
	{Name: "duration-sum", Kind: parameter.Duration, Default: []string{"5s"}, Min: "1s", Max: "2m",
		Help: "trial time that is enough at one rate; trials last 1s, and half of them decide"},
	{Name: "budget", Kind: parameter.Duration, Default: []string{"50s"}, Min: "10s", Max: "1h",
		Help: "what the search may take; then it gives the bounds it has, and says so"},
	{Name: "max-rate", Kind: parameter.Rate, Default: []string{"0bit"},
		Help: "highest rate to offer, in bits of Ethernet frames; 0bit is what the sender reaches"},
	streams.With("1"), stage.Placement, stage.Path, stage.AnyClient, stage.ServerEnd,
}

func init() {
	register(Scenario{
		Name:  "udp-zero-loss",
		Title: "highest UDP packet rates without loss and with 0.5 % loss",
		Description: "Searches the non-drop rate (NDR) and the partial drop rate (PDR, 0.5 %) after MLRsearch (RFC 9971), with trials of 1 s. " +
			"One resident paced sender and one resident receiver serve the whole search. Rates are those really offered, open loop, counted at layer 2: " +
			"Ethernet frames with header and check sequence, without preamble and gap, as they leave the sending pod; no segmentation offload. " +
			"The sender paces packet by packet as well as its timer allows (its fact pace says how late and in what bursts) and never makes up for more than 1 ms or 16 packets; a trial in which it falls short of its rate by more than half the width is repeated, five times in a search; otherwise it counts as lossy and marks the result generator-limited. " +
			"What the receiver's sockets have no room for counts as lost, too, and marks it receiver-limited. The lowest rate tried is 200 packets/s; the highest is what the sender reaches without pace, or max-rate, and a result there is partial. " +
			"Between trials it waits for stragglers until nothing has come for 100 ms, not the 2 s and 5 s of RFC 2544. A queue in the path raises a rate by its packets per second of trial. " +
			"CPU and memory are of 2 s at the NDR after the search.",
		Metrics:    []result.Metric{ndr, pdr, ndrPackets, pdrLoss, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory},
		Parameters: zeroLossParameters,
		Expected:   zeroLossExpected,
		Misfit:     zeroLossMisfit,
		Run:        measureZeroLoss,
	})
}

// zeroLossExpected is twice what searches on quiet machines take: some trials
// to find the rates, then four loads until half of the duration sum is clear.
// Where the sender is the limit, or the machine noisy, it needs its budget.
func zeroLossExpected(v parameter.Values) time.Duration {
	c := zeroLossConfig(v, 2*minPacketRate)
	typical := 10*time.Second + 4*c.Goals[0].DurationSum*6/10
	return min(2*typical, c.Budget) + holdTime
}

// zeroLossMisfit refuses a budget in which no rate can be decided on.
func zeroLossMisfit(v parameter.Values) (problem, remedy string) {
	c := zeroLossConfig(v, 2*minPacketRate)
	if least := 2 * c.Goals[0].DurationSum; c.Budget < least {
		return fmt.Sprintf("a budget of %s cannot decide on two rates with a duration-sum of %s", c.Budget, c.Goals[0].DurationSum),
			fmt.Sprintf("give budget: %s or more", least)
	}
	return "", ""
}

func measureZeroLoss(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(v))
	if err != nil {
		return stage.Measurement{}, err
	}
	ports := stage.Ports{First: stage.FirstPort, Count: v.Integer("streams"), UDP: true}
	address, err := b.Stage.Address(ctx, pair, v.Text("path"), ports)
	if err != nil {
		return stage.Measurement{}, err
	}
	client, server := b.ClientEnd(pair), b.ServerEnd(pair)
	ends, err := openPacedEnds(ctx,
		pacedEnd{"paced sender in " + client.Name, client.Run},
		pacedEnd{"paced receiver in " + server.Name, server.Run},
		zeroLossSpecs(address, ports, v.Bytes("size")))
	if err != nil {
		return stage.Measurement{}, err
	}
	defer ends.close()
	found, err := searchZeroLoss(ctx, ends, v)
	if kept := keepZeroLoss(b, found); kept != nil || err != nil {
		return stage.Measurement{}, errors.Join(err, kept)
	}
	held, series, err := holdZeroLoss(ctx, b, pair, ends, found)
	if err != nil {
		return stage.Measurement{}, err
	}
	m := evaluateZeroLoss(b, found, held, series)
	m.Facts["client"], m.Facts["server"] = client.Words, server.Words
	maps.Copy(m.Facts, address.EntryFacts())
	return m, nil
}

// holdZeroLoss offers the NDR once more while the samplers run: during the
// search they would only take CPU time from it.
func holdZeroLoss(ctx context.Context, b *stage.Bench, pair stage.Pair, ends *pacedEnds, found zeroLossSearch) (pacedTrial, stage.Sampled, error) {
	sampling, err := b.StartSampling(ctx, holdTime, pair.Pods()...)
	if err != nil {
		return pacedTrial{}, stage.Sampled{}, err
	}
	held, err := ends.offer(ctx, found.ndr().Lower.Load, holdTime)
	if err != nil {
		sampling.Cancel()
		return held, stage.Sampled{}, err
	}
	// The samplers' last interval is to end after the window.
	if err := sleep(ctx, stage.SamplingInterval(holdTime)); err != nil {
		sampling.Cancel()
		return held, stage.Sampled{}, err
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return held, stage.Sampled{}, err
	}
	return held, series, b.KeepJSON("hold.json", held)
}

func evaluateZeroLoss(b *stage.Bench, found zeroLossSearch, held pacedTrial, series stage.Sampled) stage.Measurement {
	window := sample.Window{Start: held.Sent.Start, End: held.Sent.Start.Add(held.Sent.Took)}
	m, _ := b.MeasureWindow("", window, series)
	m.Lead(stage.Figures{Values: found.values(), Marks: found.marks()})
	maps.Copy(m.Facts, found.facts())
	m.Facts["hold"] = fmt.Sprintf("%d packets at the NDR for %s, %d lost", held.Sent.Sent, held.Sent.Took.Round(time.Millisecond), held.lost())
	return m
}

// keepZeroLoss writes every trial of the search as a line of JSON, and what
// the search made of them.
func keepZeroLoss(b *stage.Bench, found zeroLossSearch) error {
	lines, err := found.lines()
	if err != nil {
		return err
	}
	b.Keep("search.jsonl", lines)
	return b.KeepJSON("search.json", found)
}
