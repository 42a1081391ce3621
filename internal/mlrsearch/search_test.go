package mlrsearch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// defaults are the goals of the scenario udp-zero-loss.
func defaults() Config {
	goal := func(name string, loss float64) Goal {
		return Goal{
			Name: name, LossRatio: loss, ExceedRatio: 0.5, Width: 0.02,
			InitialTrial: time.Second / 4, FinalTrial: time.Second, DurationSum: 5 * time.Second,
		}
	}
	return Config{
		Goals: []Goal{goal("ndr", 0), goal("pdr", 0.005)}, Min: 1e3, Max: 1e6,
		Preceding: 2, Budget: 55 * time.Second,
	}
}

func search(t *testing.T, c Config, n *network) Result {
	t.Helper()
	r, err := Run(context.Background(), n, c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Elapsed > c.Budget {
		t.Errorf("the search took %s of %s", r.Elapsed, c.Budget)
	}
	return r
}

// bracket says where the relevant bounds lie, and fails unless they are close.
func bracket(t *testing.T, r GoalResult, capacity float64) {
	t.Helper()
	if r.Status != Regular {
		t.Errorf("%s: %s: %s", r.Goal.Name, r.Status, r.Reason)
		return
	}
	if lo, hi := r.Lower.Load, r.Upper.Load; !(lo <= capacity && capacity <= hi) || relativeWidth(lo, hi) > r.Goal.Width+1e-9 {
		t.Errorf("%s: bounds %v and %v (%.2f %%) for a capacity of %v", r.Goal.Name, lo, hi, 100*relativeWidth(lo, hi), capacity)
	}
}

func TestSearchTokenBucket(t *testing.T) {
	for _, rate := range []float64{1_700, 54_321, 400_000, 990_000} {
		r := search(t, defaults(), &network{loss: bucket(rate, 0), overhead: 100 * time.Millisecond})
		bracket(t, r.Goals[0], rate)
		bracket(t, r.Goals[1], rate/0.995)
		if n := len(r.Trials); n > 45 {
			t.Errorf("rate %v: %d trials", rate, n)
		}
	}
}

// A deep bucket lets short trials pass at rates that it cannot sustain. The
// final trials decide.
func TestSearchDeepBucket(t *testing.T) {
	const rate, depth = 100_000, 5_000
	r := search(t, defaults(), &network{loss: bucket(rate, depth)})
	bracket(t, r.Goals[0], rate+depth) // over a second
}

func TestSearchRandomLossBelowPDR(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	r := search(t, defaults(), &network{loss: lossy(random, 0.002, bucket(100_000, 0))})
	// There is no rate without loss: any trial of 1,000 frames loses some.
	ndr := r.Goals[0]
	if ndr.Status != BelowMin || ndr.Lower != nil || ndr.Upper.Load != 1e3 || !strings.Contains(ndr.Reason, "lowest load tried, 1000,") {
		t.Errorf("ndr: %+v", ndr)
	}
	bracket(t, r.Goals[1], 100_000*0.998/0.995)
}

func TestSearchLossAtAnyLoad(t *testing.T) {
	n := &network{loss: func(_, _, _ float64) float64 { return 0.3 }}
	r := search(t, defaults(), n)
	for _, g := range r.Goals {
		if g.Status != BelowMin || g.Lower != nil {
			t.Errorf("%+v", g)
		}
	}
	if n := len(r.Trials); n > 40 {
		t.Errorf("%d trials to find out that nothing passes", n)
	}
}

func TestSearchAboveMax(t *testing.T) {
	r := search(t, defaults(), &network{loss: bucket(5e6, 0)})
	for _, g := range r.Goals {
		if g.Status != AtLeastMax || g.Upper != nil || g.Lower.Load != 1e6 || !strings.Contains(g.Reason, "still achieves") {
			t.Errorf("%+v", g)
		}
	}
	if n := len(r.Trials); n != 4 {
		t.Errorf("%d trials, want one of 0.25 s and 3 of 1 s, which serve both goals", n)
	}
}

// Loss of 0.1 % whatever the load: no zero-loss rate, and PDR is the maximum.
func TestSearchLossIndependentOfLoad(t *testing.T) {
	r := search(t, defaults(), &network{loss: func(_, _, _ float64) float64 { return 0.001 }})
	if got := [2]Status{r.Goals[0].Status, r.Goals[1].Status}; got != [2]Status{BelowMin, AtLeastMax} {
		t.Errorf("%v", got)
	}
}

// What was true is the network's capacity at some time of the search.
func TestSearchWorseningNetwork(t *testing.T) {
	const rate, share = 500_000.0, 0.005
	n := &network{loss: worsening(rate, share)}
	r := search(t, defaults(), n)
	for _, g := range r.Goals {
		if g.Lower == nil || g.Upper == nil {
			t.Fatalf("%+v", g)
		}
		if g.Lower.Load > rate/0.995 || g.Upper.Load < rate*(1-share*n.at.Seconds()) || g.Lower.Load >= g.Upper.Load {
			t.Errorf("%s: %v to %v", g.Goal.Name, g.Lower.Load, g.Upper.Load)
		}
	}
}

func TestSearchOutOfBudget(t *testing.T) {
	c := defaults()
	c.Budget = 6 * time.Second
	r := search(t, c, &network{loss: bucket(54_321, 0), overhead: 300 * time.Millisecond})
	ndr := r.Goals[0]
	if ndr.Status != OutOfBudget || !strings.Contains(ndr.Reason, "budget of 6s ended the search after") {
		t.Errorf("%+v", ndr)
	}
	for _, b := range []*Bound{ndr.Lower, ndr.Upper} {
		if b != nil && ndr.Goal.Classify(b.Trials) == Undecided {
			t.Errorf("a bound that is none: %+v", b)
		}
	}
}

// An overload that leaves nothing of the network's capacity (receive livelock)
// gives no hint, and the search goes down by itself.
func TestSearchCollapsingNetwork(t *testing.T) {
	n := &network{loss: func(load, _, _ float64) float64 {
		if load > 30_000 {
			return 0.999
		}
		return 0
	}}
	r := search(t, defaults(), n)
	bracket(t, r.Goals[0], 30_000)
	bracket(t, r.Goals[1], 30_000)
}

func TestSearchCSITGoals(t *testing.T) {
	c := defaults()
	for i := range c.Goals {
		g := &c.Goals[i]
		g.InitialTrial, g.FinalTrial, g.DurationSum, g.Width = time.Second, time.Second, 21*time.Second, 0.005
	}
	c.Budget = 10 * time.Minute
	n := &network{loss: bucket(54_321, 0)}
	r := search(t, c, n)
	bracket(t, r.Goals[0], 54_321)
	bracket(t, r.Goals[1], 54_321/0.995)
	if got := len(r.Goals[0].Lower.Trials); got < 11 {
		t.Errorf("%d trials at the lower bound, and 11 of 21 s decide", got)
	}
}

// The same outcomes give the same search, goals in any order.
func TestSearchIsDeterministic(t *testing.T) {
	run := func(reverse bool) []Trial {
		c := defaults()
		if reverse {
			slices.Reverse(c.Goals)
		}
		n := &network{loss: lossy(rand.New(rand.NewPCG(3, 4)), 1e-6, bucket(54_321, 20))}
		search(t, c, n)
		return n.trials
	}
	if diff := cmp.Diff(run(false), run(true)); diff != "" {
		t.Error(diff)
	}
}

func TestRunEndsWithTheMeasurer(t *testing.T) {
	gone := errors.New("the server is gone")
	n := failing{network{loss: bucket(54_321, 0)}, 4, gone}
	r, err := Run(context.Background(), &n, defaults())
	if !errors.Is(err, gone) || !strings.Contains(err.Error(), "trial 5 at load") || len(r.Trials) != 4 {
		t.Errorf("%d trials, %v", len(r.Trials), err)
	}
}

type failing struct {
	network
	after int
	err   error
}

func (f *failing) Measure(ctx context.Context, t Trial) (Outcome, error) {
	if len(f.trials) == f.after {
		return Outcome{}, f.err
	}
	return f.network.Measure(ctx, t)
}

func TestAddRefuses(t *testing.T) {
	s, err := New(defaults())
	if err != nil {
		t.Fatal(err)
	}
	if s.Add(Outcome{Elapsed: time.Second}) == nil {
		t.Error("an outcome before any trial")
	}
	trial, _ := s.Next()
	for name, o := range map[string]Outcome{
		"negative":         {LossRatio: -0.1, Elapsed: time.Second},
		"above 1":          {LossRatio: 1.1, Elapsed: time.Second},
		"no number":        {LossRatio: math.NaN(), Elapsed: time.Second},
		"shorter than run": {Elapsed: trial.Duration - 1},
	} {
		if s.Add(o) == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if again, more := s.Next(); again != trial || !more {
		t.Errorf("after refusals the trial is %+v, not %+v", again, trial)
	}
}

func TestConfigValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"needs a goal":          func(c *Config) { c.Goals = nil },
		"two goals are called":  func(c *Config) { c.Goals[1].Name = "ndr" },
		"no name":               func(c *Config) { c.Goals[0].Name = "" },
		"loss ratio 1":          func(c *Config) { c.Goals[0].LossRatio = 1 },
		"exceed ratio -1":       func(c *Config) { c.Goals[0].ExceedRatio = -1 },
		"width 0":               func(c *Config) { c.Goals[0].Width = 0 },
		"initial trial of 2s":   func(c *Config) { c.Goals[0].InitialTrial = 2 * time.Second },
		"duration sum 1ms":      func(c *Config) { c.Goals[0].DurationSum = time.Millisecond },
		"loads from 0":          func(c *Config) { c.Min = 0 },
		"loads from 1000 to 10": func(c *Config) { c.Max = 10 },
		"9 preceding":           func(c *Config) { c.Preceding = 9 },
		"positive budget":       func(c *Config) { c.Budget = 0 },
		"take a wider width":    func(c *Config) { c.Goals[1].Width = 1e-6 },
	} {
		c := defaults()
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
