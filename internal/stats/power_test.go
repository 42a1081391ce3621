package stats

import (
	"math"
	"strings"
	"testing"
)

// planning is the design that the methodology plans with.
func planning() Design { return Design{Pairs: 10, Margin: math.Log(1.03), SD: pairedSD} }

// The planning figures of the methodology, 48, 81 and 99.5 of 100, are SciPy's;
// four standard errors of 4,000 campaigns.
func TestGoldenDesignPower(t *testing.T) {
	close := func(got, want float64) bool {
		return math.Abs(got-want) <= 4*math.Sqrt(want*(1-want)/powerCampaigns)
	}
	for _, want := range readGolden(t).Power {
		up, err := planning().Power(math.Log1p(want.Effect), 1)
		if err != nil {
			t.Fatal(err)
		}
		down, err := planning().Power(-math.Log1p(want.Effect), 2)
		if err != nil {
			t.Fatal(err)
		}
		if !close(up.Better, want.Power) || !close(down.Worse, want.Power) {
			t.Errorf("a true effect of %v is found in %.4f and %.4f of campaigns, want %.4f", want.Effect, up.Better, down.Worse, want.Power)
		}
	}
	for _, want := range readGolden(t).UnpairedPower {
		design := Design{NA: want.A, NB: want.B, Margin: want.Margin, SD: want.SD}
		got, err := design.Power(want.Effect, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !close(got.Better, want.Power) {
			t.Errorf("%+v: a true effect of %v is found in %.4f of campaigns, want %.4f", design, want.Effect, got.Better, want.Power)
		}
	}
}

// Every simulated campaign gets the verdict that its data would get.
func TestPowerCountsVerdicts(t *testing.T) {
	designs := []Design{planning(), {Pairs: 7, Margin: 0.03, SD: 0.01}, {NA: 5, NB: 8, Margin: 0.02, SD: 0.01}, {Pairs: 12, SD: 0.01, Margin: 0.02, Family: 9}}
	for _, design := range designs {
		for _, effect := range []float64{0, -0.03, 0.05} {
			s, absent, err := design.simulate(3)
			if err != nil || absent != "" {
				t.Fatal(absent, err)
			}
			s.campaigns = s.campaigns[:300]
			want := map[Verdict]float64{}
			for _, c := range s.campaigns {
				claims, err := ClaimsOf(moved(c.a, 1, effect), design.Margin)
				if design.Pairs == 0 {
					claims, err = ClaimsBetween(c.a, moved(c.b, 1, effect), design.Margin)
				}
				if err != nil {
					t.Fatal(err)
				}
				want[claims.verdict(design.level())] += 1.0 / 300
			}
			got := s.chances(effect, design.Margin)
			for verdict, share := range map[Verdict]float64{Better: got.Better, Worse: got.Worse, Equivalent: got.Equivalent, Inconclusive: got.Inconclusive} {
				if math.Abs(share-want[verdict]) > 1e-9 {
					t.Errorf("%+v, effect %v: %s in %.4f, want %.4f", design, effect, verdict, share, want[verdict])
				}
			}
		}
	}
}

func TestMinimalEffectHasItsPower(t *testing.T) {
	for _, design := range []Design{planning(), {Pairs: 20, Margin: 0.03, SD: 0.05, Family: 9}, {NA: 10, NB: 10, Margin: 0.03, SD: 0.02}} {
		effect, err := design.MinimalEffect(0.8, 5)
		if err != nil || effect.Absent != "" {
			t.Fatal(effect, err)
		}
		same, err := design.Power(effect.Shift, 5)
		if err != nil {
			t.Fatal(err)
		}
		other, err := design.Power(effect.Shift, 6)
		if err != nil {
			t.Fatal(err)
		}
		if same.Better < 0.799 || same.Better > 0.801 || math.Abs(other.Better-0.8) > 0.04 {
			t.Errorf("%+v: effect %v is found in %v, with other noise in %v", design, effect.Shift, same.Better, other.Better)
		}
		double := design
		double.SD, double.Margin = 2*design.SD, 2*design.Margin
		if twice, err := double.MinimalEffect(0.8, 5); err != nil || math.Abs(twice.Shift-2*effect.Shift) > 1e-12 {
			t.Errorf("%+v: twice the noise needs %v, want twice %v", design, twice.Shift, effect.Shift)
		}
	}
}

func TestBlocksFor(t *testing.T) {
	for _, test := range []struct{ effect, power float64 }{{0.08, 0.8}, {0.05, 0.8}, {-0.06, 0.9}, {0, 0.8}} {
		effect, err := planning().BlocksFor(math.Copysign(math.Log1p(math.Abs(test.effect)), test.effect), test.power, 1)
		if err != nil || effect.Absent != "" {
			t.Fatal(effect, err)
		}
		for blocks, enough := range map[int]bool{effect.Blocks: true, effect.Blocks - 2: false} {
			design := planning()
			design.Pairs = max(1, blocks)
			got, err := design.Power(effect.Shift, 99)
			if err != nil {
				t.Fatal(err)
			}
			found := max(got.Better, got.Worse, got.Equivalent)
			if enough && found < test.power-0.03 || !enough && found > test.power+0.03 {
				t.Errorf("effect %v needs %d blocks; with %d it is found in %v", test.effect, effect.Blocks, blocks, found)
			}
		}
	}
	more, err := Design{NA: 1, NB: 1, Margin: 0.03, SD: 0.02}.BlocksFor(0.08, 0.8, 1)
	if err != nil || more.Blocks < 5 || more.Blocks > 12 {
		t.Errorf("unpaired: %+v, %v", more, err)
	}
}

func TestPowerOfTooLittle(t *testing.T) {
	design := planning()
	design.Family = 45
	chances, err := design.Power(1, 1)
	want := "10 blocks cannot decide a family of 45: it takes 11"
	if err != nil || chances != (Chances{Inconclusive: 1, Absent: want}) {
		t.Errorf("%+v, %v, want absent %q", chances, err, want)
	}
	effect, err := design.MinimalEffect(0.8, 1)
	if err != nil || effect.Absent != want || !math.IsNaN(effect.Shift) {
		t.Errorf("%+v, %v, want absent %q", effect, err, want)
	}
	chances, err = Design{NA: 3, NB: 3, Margin: 1, SD: 1}.Power(9, 1)
	if err != nil || chances.Absent != "3 and 3 values cannot decide a family of 1: it takes 4 and 4" {
		t.Errorf("%+v, %v", chances, err)
	}
	for effect, want := range map[float64]string{0.03: "equal to the margin", 0.0301: "not with 200 blocks"} {
		got, err := Design{Pairs: 10, Margin: 0.03, SD: 0.03}.BlocksFor(effect, 0.8, 1)
		if err != nil || !strings.Contains(got.Absent, want) || got.Blocks != 0 {
			t.Errorf("effect %v: %+v, %v, want %q", effect, got, err, want)
		}
	}
}

func TestBadDesigns(t *testing.T) {
	for name, design := range map[string]Design{
		"nothing":       {Margin: 1, SD: 1},
		"one side":      {NA: 9, Margin: 1, SD: 1},
		"both":          {Pairs: 9, NA: 9, NB: 9, Margin: 1, SD: 1},
		"negative":      {Pairs: -9, Margin: 1, SD: 1},
		"endless":       {Pairs: 1 << 40, Margin: 1, SD: 1},
		"no noise":      {Pairs: 9, Margin: 1},
		"NaN noise":     {Pairs: 9, Margin: 1, SD: math.NaN()},
		"endless noise": {Pairs: 9, Margin: 1, SD: math.Inf(1)},
		"no margin":     {Pairs: 9, Margin: math.NaN(), SD: 1},
		"level of 3":    {Pairs: 9, Margin: 1, SD: 1, Alpha: 3, Family: 9},
		"family of -1":  {Pairs: 9, Margin: 1, SD: 1, Family: -1},
	} {
		if _, err := design.Power(1, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := design.MinimalEffect(0.8, 1); err == nil {
			t.Errorf("%s: no error for the minimal effect", name)
		}
		if name == "nothing" || name == "one side" || name == "both" || name == "negative" || name == "endless" {
			continue // BlocksFor chooses the number itself
		}
		if _, err := design.BlocksFor(1, 0.8, 1); err == nil {
			t.Errorf("%s: no error for the blocks", name)
		}
	}
	if _, err := planning().MinimalEffect(80, 1); err == nil {
		t.Error("power in per cent: no error")
	}
	if _, err := planning().Power(math.NaN(), 1); err == nil {
		t.Error("effect that is no number: no error")
	}
}
