package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/mlrsearch"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/stage"
)

const (
	// minPacketRate is the lowest rate tried, in packets per second: at it, a
	// loss of 0.5 % in a second is one packet.
	minPacketRate = 200
	// ceilingTime is how long the sender runs without pace, to find out what
	// it can.
	ceilingTime = 500 * time.Millisecond
	// proofTime of packets at minPacketRate shows that any arrive.
	proofTime = 100 * time.Millisecond
	// holdTime is how long the NDR is offered once more.
	holdTime = 2 * time.Second
	// maxRepeats is how many trials of a search are repeated because the
	// sender fell short: more of them and it is at its limit.
	maxRepeats = 5

	pdrLossRatio = 0.005
	csitBudget   = 10 * time.Minute
)

// zeroLossConfig makes the search's goals of the parameters; the highest load is in
// packets per second.
func zeroLossConfig(v parameter.Values, highest float64) mlrsearch.Config {
	goal := mlrsearch.Goal{
		Name: ndr.Name, ExceedRatio: 0.5, Width: v.Number("width"),
		InitialTrial: 250 * time.Millisecond, FinalTrial: time.Second, DurationSum: v.Duration("duration-sum"),
	}
	budget := v.Duration("budget")
	if v.Text("goals") == csitGoals {
		// csit.fd.io, methodology, MLRsearch.
		goal.Width, goal.InitialTrial, goal.DurationSum = 0.005, time.Second, 21*time.Second
		budget = csitBudget
	}
	partial := goal
	partial.Name, partial.LossRatio = pdr.Name, pdrLossRatio
	return mlrsearch.Config{Goals: []mlrsearch.Goal{goal, partial}, Min: minPacketRate, Max: highest, Preceding: 2, Budget: budget}
}

// zeroLossSearch is a search with all that it rests on.
type zeroLossSearch struct {
	Specs  pacedSpecs       `json:"specs"`
	Ends   zeroLossEnds     `json:"ends"`
	Result mlrsearch.Result `json:"result"`
	// Limit says what the highest load comes from.
	Limit string `json:"limit"`
	// SenderLimited tells that it is the sender's rate.
	SenderLimited bool       `json:"senderLimited"`
	Max           float64    `json:"maxPacketsPerSecond"`
	Proof         pacedTrial `json:"proof"`
	Ceiling       pacedTrial `json:"ceiling"`
	// trials are those of Result, as the ends saw them, and the repeated ones.
	trials []zeroLossTrial
}

// zeroLossTrial is one line of search.jsonl.
type zeroLossTrial struct {
	pacedTrial
	// LossRatio is what the search was told.
	LossRatio float64 `json:"lossRatio"`
	// Short is the share of the load that the sender did not offer; beyond
	// the tolerance it counts as lost, and ShortCounted says so.
	Short        float64 `json:"short"`
	ShortCounted bool    `json:"shortCounted"`
	// Repeated tells that the search was told of the next trial instead,
	// because the sender fell short in this one.
	Repeated bool `json:"repeated,omitempty"`
}

// judge turns a trial into a loss ratio. The sender may fall short of the load
// by tolerance, a share; what is missing beyond that was not offered because
// it could not be, and counts as lost (RFC 9971 recommends so for the measurer).
func judge(t pacedTrial, tolerance float64) zeroLossTrial {
	j := zeroLossTrial{pacedTrial: t}
	expected := float64(t.Sent.Sent)
	if offered := t.Sent.PerSecond(); offered < t.Load {
		j.Short = 1 - offered/t.Load
	}
	if j.Short > tolerance {
		j.ShortCounted = true
		expected = t.Load * t.Sent.Took.Seconds()
	}
	j.LossRatio = 1
	if expected > 0 {
		j.LossRatio = min(1, max(0, 1-float64(t.Received.Received)/expected))
	}
	return j
}

// Measure makes a trial of a search. A machine that stalls makes the sender
// fall short once, a rate beyond the sender's does so again: so a trial in
// which it falls short is repeated, once, for a few trials of a search.
func (m *zeroLossMeasurer) Measure(ctx context.Context, t mlrsearch.Trial) (mlrsearch.Outcome, error) {
	var elapsed time.Duration
	for {
		trial, err := m.ends.offer(ctx, t.Load, t.Duration)
		if err != nil {
			return mlrsearch.Outcome{}, err
		}
		judged := judge(trial, m.tolerance)
		judged.Repeated = judged.ShortCounted && elapsed == 0 && m.repeats < maxRepeats
		if judged.Repeated {
			m.repeats++
		}
		m.found.trials = append(m.found.trials, judged)
		elapsed += trial.Elapsed
		if !judged.Repeated {
			return mlrsearch.Outcome{LossRatio: judged.LossRatio, Elapsed: elapsed}, nil
		}
	}
}

type zeroLossMeasurer struct {
	ends      *pacedEnds
	tolerance float64
	found     *zeroLossSearch
	repeats   int // so far
}

// searchZeroLoss finds both rates. On an error it returns what it has.
func searchZeroLoss(ctx context.Context, ends *pacedEnds, v parameter.Values) (zeroLossSearch, error) {
	found := zeroLossSearch{Specs: ends.specs, Ends: zeroLossEnds{ends.sendReady, ends.receiveReady}}
	var err error
	if found.Proof, err = ends.offer(ctx, minPacketRate, proofTime); err != nil {
		return found, err
	}
	if found.Proof.Received.Received == 0 {
		return found, fmt.Errorf("none of %d packets of %d bytes that the %s sent arrived at the %s",
			found.Proof.Sent.Sent, ends.specs.Send.Size, ends.sender.Where, ends.receiver.Where)
	}
	if found.Ceiling, err = ends.offer(ctx, 0, ceilingTime); err != nil {
		return found, err
	}
	found.setMax(v.Rate("max-rate"))
	if found.Max <= 2*minPacketRate {
		return found, fmt.Errorf("the highest rate to offer is %.0f packets/s (%s): the search begins at %d", found.Max, found.Limit, minPacketRate)
	}
	config := zeroLossConfig(v, found.Max)
	m := &zeroLossMeasurer{ends: ends, tolerance: config.Goals[0].Width / 2, found: &found}
	if found.Result, err = mlrsearch.Run(ctx, m, config); err != nil {
		return found, err
	}
	return found, found.check()
}

// setMax sets the search's highest load: the sender's, or that which the user
// allows.
func (z *zeroLossSearch) setMax(maxRate float64) {
	sender, allowed := z.Ceiling.Sent.PerSecond(), maxRate/z.frameBits()
	z.Max, z.SenderLimited, z.Limit = sender, true, "what the sender reaches without pace"
	if allowed > 0 && allowed < sender {
		z.Max, z.SenderLimited, z.Limit = allowed, false, "the parameter max-rate"
	}
}

// check refuses a search without an NDR. The PDR's lower bound is then at
// least as high. Where the sender is to blame, the trial is invalid: it says
// nothing about the network.
func (z *zeroLossSearch) check() error {
	if z.ndr().Lower != nil {
		return nil
	}
	reason := fmt.Sprintf("no rate without loss was found: %s; of the PDR: %s", z.ndr().Reason, z.bracket(z.pdr()))
	for _, m := range z.marks() {
		reason += "; " + m.Name + ": " + m.Detail
	}
	if short, bad := z.shortAt(z.ndr()); 2*short > bad {
		return &stage.InvalidError{Reason: reason}
	}
	return errors.New(reason)
}

func (z *zeroLossSearch) frameBits() float64 { return 8 * float64(z.Specs.Send.Size) }

func (z *zeroLossSearch) ndr() mlrsearch.GoalResult { return z.Result.Goals[0] }
func (z *zeroLossSearch) pdr() mlrsearch.GoalResult { return z.Result.Goals[1] }

// lines is the evidence of the search, one trial per line.
func (z *zeroLossSearch) lines() ([]byte, error) {
	var buf bytes.Buffer
	for _, t := range z.trials {
		line, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("keeping the trials of the search: %w", err)
		}
		buf.Write(append(line, '\n'))
	}
	return buf.Bytes(), nil
}
