package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/mlrsearch"
	"github.com/cnibench/cnibench/internal/probe/stream"
	"github.com/cnibench/cnibench/internal/result"
)

// zeroLossEnds is what the ends said of themselves.
type zeroLossEnds struct {
	Sender   stream.SendReady    `json:"sender"`
	Receiver stream.ReceiveReady `json:"receiver"`
}

// values are the rates of a search with an NDR.
func (z *zeroLossSearch) values() []result.Value {
	full, some := z.ndr(), z.pdr()
	return []result.Value{
		{Metric: ndr, Value: z.offered(full.Lower.Load) * z.frameBits(), Partial: full.Reason},
		{Metric: pdr, Value: z.offered(some.Lower.Load) * z.frameBits(), Partial: some.Reason},
		{Metric: ndrPackets, Value: z.offered(full.Lower.Load), Partial: full.Reason},
		{Metric: pdrLoss, Value: 100 * some.Lower.QuantileLoss, Partial: some.Reason},
	}
}

// offered is what the sender really offered where a load was asked for, in
// packets per second: the mean of the trials. A stall of the machine makes it
// less than the load, by at most the tolerance.
func (z *zeroLossSearch) offered(load float64) float64 {
	trials, short := z.at(load), 0.0
	for _, t := range trials {
		short += t.Short
	}
	return load * (1 - short/float64(max(len(trials), 1)))
}

// marks say where not the network but an end of ours set a bound.
func (z *zeroLossSearch) marks() []result.Mark {
	var generator, receiver []string
	for _, g := range z.Result.Goals {
		if g.Status == mlrsearch.AtLeastMax && z.SenderLimited {
			generator = append(generator, fmt.Sprintf("%s: the sender's highest rate, %.0f packets/s, still achieves it", g.Goal.Name, z.Max))
		}
		if short, bad := z.shortAt(g); 2*short > bad {
			generator = append(generator, fmt.Sprintf("%s: in %d of %d lossy trials %s the sender fell short of its rate", g.Goal.Name, short, bad, where(g)))
		}
		if dropped, lost := z.droppedAt(g); 2*dropped > lost {
			receiver = append(receiver, fmt.Sprintf("%s: %d of %d packets lost %s came through the network, and the receiver's buffers of %d bytes had no room", g.Goal.Name, dropped, lost, where(g), z.Ends.Receiver.Buffer))
		}
	}
	var marks []result.Mark
	if len(generator) > 0 {
		marks = append(marks, result.Mark{Name: "generator-limited", Detail: strings.Join(generator, "; ")})
	}
	if len(receiver) > 0 {
		marks = append(marks, result.Mark{Name: "receiver-limited", Detail: strings.Join(receiver, "; ")})
	}
	return marks
}

// where says where the trials are that lossyAt returns.
func where(g mlrsearch.GoalResult) string {
	if g.Upper == nil {
		return "above the lower bound"
	}
	return "at the upper bound"
}

// shortAt counts the lossy trials at a goal's upper bound, and those of them in
// which the sender fell short.
func (z *zeroLossSearch) shortAt(g mlrsearch.GoalResult) (short, bad int) {
	for _, t := range z.lossyAt(g) {
		bad++
		if t.ShortCounted {
			short++
		}
	}
	return short, bad
}

// droppedAt counts the packets lost in the lossy trials at a goal's upper
// bound, and those of them that our receiver lost.
func (z *zeroLossSearch) droppedAt(g mlrsearch.GoalResult) (dropped, lost uint64) {
	for _, t := range z.lossyAt(g) {
		lost += t.lost()
		dropped += min(t.Received.Dropped, t.lost())
	}
	return dropped, lost
}

// lossyAt returns the high-loss trials at a goal's upper bound; where the
// search ended before it had one, those above the lower bound.
func (z *zeroLossSearch) lossyAt(g mlrsearch.GoalResult) []zeroLossTrial {
	return slices.DeleteFunc(slices.Clone(z.trials), func(t zeroLossTrial) bool {
		bound := g.Upper != nil && t.Load == g.Upper.Load || g.Upper == nil && (g.Lower == nil || t.Load > g.Lower.Load)
		return t.Repeated || !bound || t.LossRatio <= g.Goal.LossRatio
	})
}

// at returns the trials at a load that the search was told of.
func (z *zeroLossSearch) at(load float64) []zeroLossTrial {
	var all []zeroLossTrial
	for _, t := range z.trials {
		if t.Load == load && !t.Repeated {
			all = append(all, t)
		}
	}
	return all
}

// facts are what a reader must know to compare two searches.
func (z *zeroLossSearch) facts() map[string]string {
	goal, sender := z.ndr().Goal, z.Ends.Sender
	return map[string]string{
		"ndr bracket": z.bracket(z.ndr()),
		"pdr bracket": z.bracket(z.pdr()),
		"goals": fmt.Sprintf("NDR 0, PDR %.1f %%, each width %.2g %%, trials %s to %s, duration sum %s, exceed ratio %.0f %%",
			100*pdrLossRatio, 100*goal.Width, goal.InitialTrial, goal.FinalTrial, goal.DurationSum, 100*goal.ExceedRatio),
		"search":       fmt.Sprintf("%d trials in %s, %d of them repeated because the sender fell short", len(z.Result.Trials), z.Result.Elapsed.Round(100*time.Millisecond), len(z.trials)-len(z.Result.Trials)),
		"highest rate": fmt.Sprintf("%.0f packets/s: %s", z.Max, z.Limit),
		"frame":        fmt.Sprintf("%d bytes at layer 2 with check sequence, %d as the link counts, IP packet %d", z.Specs.Send.Size, stream.LinkBytesOf(z.Specs.Send.Size), stream.PacketOf(z.Specs.Send.Size)),
		"sender":       fmt.Sprintf("%s on %s, path MTU %d, buffers of %d bytes", sender.Local, sender.Link, sender.MTU, sender.Buffer),
		"receiver":     fmt.Sprintf("%s, buffers of %d bytes", sender.Remote, z.Ends.Receiver.Buffer),
		"pace":         z.pace(),
		"link":         z.link(),
	}
}

// bracket describes the bounds of a rate.
func (z *zeroLossSearch) bracket(g mlrsearch.GoalResult) string {
	describe := func(b *mlrsearch.Bound) string {
		rate := z.offered(b.Load)
		return fmt.Sprintf("%.0f packets/s (%.6g Mbit/s)", rate, rate*z.frameBits()/1e6)
	}
	switch {
	case g.Lower == nil:
		return g.Reason
	case g.Upper == nil:
		return "at least " + describe(g.Lower) + ": " + g.Reason
	}
	text := fmt.Sprintf("%s to %s, %.2g %% apart", describe(g.Lower), describe(g.Upper), 100*(1-z.offered(g.Lower.Load)/z.offered(g.Upper.Load)))
	if g.Reason != "" {
		text += ": " + g.Reason
	}
	return text + fmt.Sprintf("; conditional throughput %.0f packets/s", g.Lower.ConditionalThroughput)
}

// pace tells how well the sender kept its time at the NDR.
func (z *zeroLossSearch) pace() string {
	var sent, late, burst uint64
	var latest time.Duration
	short := 0.0
	for _, t := range z.at(z.ndr().Lower.Load) {
		sent, late, burst = sent+t.Sent.Sent, late+t.Sent.Late, max(burst, t.Sent.LongestBurst)
		latest, short = max(latest, t.Sent.Latest), max(short, t.Short)
	}
	return fmt.Sprintf("at the NDR %.2g %% of the packets left over 1 ms late, at most %s; longest burst %d; short of the rate by at most %.2g %%",
		100*float64(late)/float64(max(sent, 1)), latest.Round(time.Microsecond), burst, 100*short)
}

// link holds what was sent against what the sender's link carried.
func (z *zeroLossSearch) link() string {
	t := z.Ceiling
	return fmt.Sprintf("%d packets sent without pace, and %s carried %d, of %.1f bytes on average",
		t.Sent.Sent, z.Ends.Sender.Link, t.Sent.Link.TxPackets, float64(t.Sent.Link.TxBytes)/float64(max(t.Sent.Link.TxPackets, 1)))
}
