package scenario

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/mlrsearch"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe/stream"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// defaultsOf are the values of a campaign that sets none.
func defaultsOf(all []parameter.Parameter) parameter.Values {
	v := parameter.Values{}
	for _, p := range all {
		v[p.Name] = p.Defaults()[0]
	}
	return v
}

func pacedTrialOf(load float64, sent, received uint64, took time.Duration) pacedTrial {
	return pacedTrial{
		Load: load, Duration: time.Second,
		Sent:     stream.Sent{Planned: uint64(load), Sent: sent, Took: took},
		Received: stream.Received{Counts: stream.Counts{Received: received}},
	}
}

func TestJudge(t *testing.T) {
	tests := map[string]struct {
		trial   pacedTrial
		loss    float64
		counted bool
	}{
		"all":               {pacedTrialOf(1000, 1000, 1000, time.Second), 0, false},
		"some lost":         {pacedTrialOf(1000, 1000, 990, time.Second), 0.01, false},
		"none":              {pacedTrialOf(1000, 1000, 0, time.Second), 1, false},
		"a little slow":     {pacedTrialOf(1000, 1000, 1000, 1005*time.Millisecond), 0, false},
		"too slow":          {pacedTrialOf(1000, 1000, 1000, 1250*time.Millisecond), 0.2, true},
		"gave up":           {pacedTrialOf(1000, 500, 500, time.Second), 0.5, true},
		"too slow and lost": {pacedTrialOf(1000, 1000, 500, 1250*time.Millisecond), 0.6, true},
		"nothing sent":      {pacedTrialOf(1000, 0, 0, time.Second), 1, true},
		"more than sent":    {pacedTrialOf(1000, 1000, 1001, time.Second), 0, false},
	}
	for name, test := range tests {
		got := judge(test.trial, 0.01)
		if diff := got.LossRatio - test.loss; diff > 1e-12 || diff < -1e-12 || got.ShortCounted != test.counted {
			t.Errorf("%s: loss %v, counted %t", name, got.LossRatio, got.ShortCounted)
		}
	}
}

func TestZeroLossConfig(t *testing.T) {
	v := defaultsOf(zeroLossParameters)
	c := zeroLossConfig(v, 1e6)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if c.Goals[0].LossRatio != 0 || c.Goals[1].LossRatio != 0.005 || c.Goals[0].Width != 0.02 || c.Goals[1].DurationSum != 5*time.Second || c.Budget != 50*time.Second {
		t.Errorf("%+v", c)
	}
	v["goals"] = "csit"
	c = zeroLossConfig(v, 1e6)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if g := c.Goals[1]; g.Width != 0.005 || g.DurationSum != 21*time.Second || g.InitialTrial != time.Second || c.Budget != 10*time.Minute {
		t.Errorf("%+v", c)
	}
	for goals, most := range map[string]time.Duration{"parameters": time.Minute, "csit": 3 * time.Minute} {
		v["goals"] = goals
		if got := zeroLossExpected(v); got < 10*time.Second || got > most {
			t.Errorf("%s: expected to take %s", goals, got)
		}
	}
}

func TestZeroLossSpecs(t *testing.T) {
	a := stage.Address{Host: "10.96.0.7", Translated: map[int]int{5202: 30002}}
	got := zeroLossSpecs(a, stage.Ports{First: 5201, Count: 3}, 512)
	if diff := cmp.Diff([]int{5201, 30002, 5203}, got.Send.Ports); diff != "" {
		t.Error(diff)
	}
	if got.Receive.Port != 5201 || got.Receive.Streams != 3 || got.Send.Key != got.Receive.Key || got.Send.Size != 512 {
		t.Errorf("%+v", got)
	}
}

// found is a search whose NDR lies between 1000 and 1010 packets/s of 125
// bytes, so 1 and 1.01 Mbit/s.
func found() zeroLossSearch {
	c := zeroLossConfig(defaultsOf(zeroLossParameters), 5000)
	bound := func(load, loss float64) *mlrsearch.Bound {
		return &mlrsearch.Bound{Load: load, QuantileLoss: loss, ConditionalThroughput: load * (1 - loss)}
	}
	z := zeroLossSearch{Max: 5000, SenderLimited: true, Limit: "what the sender reaches without pace"}
	z.Specs.Send.Size = 125
	z.Ends.Receiver.Buffer = 425984
	z.Result.Goals = []mlrsearch.GoalResult{
		{Goal: c.Goals[0], Status: mlrsearch.Regular, Lower: bound(1000, 0), Upper: bound(1010, 0.004)},
		{Goal: c.Goals[1], Status: mlrsearch.AtLeastMax, Reason: "the highest load tried, 5000, still achieves the goal", Lower: bound(5000, 0.004)},
	}
	for range 3 {
		z.trials = append(z.trials, judge(pacedTrialOf(1000, 1000, 1000, time.Second), 0.01), judge(pacedTrialOf(1010, 1010, 1000, time.Second), 0.01))
	}
	return z
}

func TestZeroLossValues(t *testing.T) {
	z := found()
	got := map[string]result.Value{}
	for _, v := range z.values() {
		got[v.Name] = v
	}
	for name, want := range map[string]float64{"ndr": 1e6, "pdr": 5e6, "ndr-packets": 1000, "pdr-loss": 0.4} {
		if got[name].Value != want {
			t.Errorf("%s: %v, want %v", name, got[name].Value, want)
		}
	}
	if got["ndr"].Partial != "" || !strings.Contains(got["pdr"].Partial, "still achieves") || got["pdr-loss"].Partial == "" {
		t.Errorf("partial: %+v", got)
	}
	if want := "1000 packets/s (1 Mbit/s) to 1010 packets/s (1.01 Mbit/s), 0.99 % apart; conditional throughput 1000 packets/s"; z.facts()["ndr bracket"] != want {
		t.Errorf("%s", z.facts()["ndr bracket"])
	}
	if want := "at least 5000 packets/s (5 Mbit/s): the highest load tried, 5000, still achieves the goal"; z.facts()["pdr bracket"] != want {
		t.Errorf("%s", z.facts()["pdr bracket"])
	}
}

// A sender that needed longer for its packets offered a lower rate; a trial
// that was repeated does not count.
func TestZeroLossOffered(t *testing.T) {
	z := found()
	for i := range z.trials {
		if z.trials[i].Load == 1000 {
			z.trials[i] = judge(pacedTrialOf(1000, 992, 992, time.Second), 0.01)
		}
	}
	repeated := judge(pacedTrialOf(1000, 500, 500, time.Second), 0.01)
	repeated.Repeated = true
	z.trials = append(z.trials, repeated)
	if got := z.offered(1000); math.Abs(got-992) > 1e-6 {
		t.Errorf("%v packets/s", got)
	}
	if got := z.values()[0].Value; math.Abs(got-992*1000) > 1e-3 {
		t.Errorf("NDR %v", got)
	}
}

func TestZeroLossMarks(t *testing.T) {
	names := func(z zeroLossSearch) string {
		var all []string
		for _, m := range z.marks() {
			all = append(all, m.Name+": "+m.Detail)
		}
		return strings.Join(all, "\n")
	}
	z := found()
	if got, want := names(z), "generator-limited: pdr: the sender's highest rate, 5000 packets/s, still achieves it"; got != want {
		t.Errorf("%s", got)
	}
	z.SenderLimited = false // but by what the user allows
	if got := names(z); got != "" {
		t.Errorf("%s", got)
	}
	for i := range z.trials {
		if z.trials[i].Load == 1010 {
			z.trials[i].Received.Dropped = 7
		}
	}
	if got, want := names(z), "receiver-limited: ndr: 21 of 30 packets lost at the upper bound came through the network, and the receiver's buffers of 425984 bytes had no room"; got != want {
		t.Errorf("%s", got)
	}
	z = found()
	z.SenderLimited = false
	for i := range z.trials {
		if z.trials[i].Load == 1010 {
			z.trials[i] = judge(pacedTrialOf(1010, 900, 900, time.Second), 0.01)
		}
	}
	if got, want := names(z), "generator-limited: ndr: in 3 of 3 lossy trials at the upper bound the sender fell short of its rate"; got != want {
		t.Errorf("%s", got)
	}
}

// Without an NDR there is no figure, and whose fault it is decides on the
// status.
func TestZeroLossWithoutANDR(t *testing.T) {
	const want = "no rate without loss was found: the lowest load tried, 200, already fails the goal; of the PDR: at least 5000 packets/s (5 Mbit/s)"
	for _, test := range []struct {
		sent    uint64
		invalid bool
		mark    string
	}{
		{200, false, ""},
		{100, true, "generator-limited: ndr: in 3 of 3 lossy trials at the upper bound the sender fell short of its rate"},
	} {
		z := found()
		z.SenderLimited = false
		z.Result.Goals[0] = mlrsearch.GoalResult{
			Goal: z.Result.Goals[0].Goal, Status: mlrsearch.BelowMin,
			Reason: "the lowest load tried, 200, already fails the goal", Upper: &mlrsearch.Bound{Load: 200},
		}
		for range 3 {
			z.trials = append(z.trials, judge(pacedTrialOf(200, test.sent, 90, time.Second), 0.01))
		}
		err := z.check()
		var invalid *stage.InvalidError
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), test.mark) || errors.As(err, &invalid) != test.invalid {
			t.Errorf("%d sent: %v", test.sent, err)
		}
	}
}

func TestZeroLossMax(t *testing.T) {
	for _, test := range []struct{ maxRate, want float64 }{{0, 4000}, {1e6, 1000}, {1e9, 4000}} {
		z := found()
		z.Ceiling = pacedTrialOf(0, 2000, 1500, 500*time.Millisecond)
		z.setMax(test.maxRate)
		if z.Max != test.want || z.SenderLimited != (test.want == 4000) {
			t.Errorf("max-rate %v: %v packets/s, %s", test.maxRate, z.Max, z.Limit)
		}
	}
}

// Every line of the evidence is one trial.
func TestZeroLossLines(t *testing.T) {
	z := found()
	lines, err := z.lines()
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n") {
		var got zeroLossTrial
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(z.trials[i], got, cmp.AllowUnexported(zeroLossTrial{})); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", i+1, diff)
		}
	}
}
