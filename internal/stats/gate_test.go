package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestGateOfOneMetric(t *testing.T) {
	tests := []struct {
		name   string
		d      []float64
		margin float64
		want   Outcome
	}{
		{"no difference", []float64{-1, 0, 1, 0.5, -0.5, 0.2}, 3, Pass},
		{"better", []float64{4, 5, 6, 7, 8, 9}, 3, Pass},
		{"worse, but by less than the margin", []float64{-2, -1, -1.5, -1.7, -1.2, -2.9}, 3, Pass},
		{"worse", []float64{-4, -5, -6, -7, -8, -9}, 3, Regression},
		{"exactly the margin", []float64{-3, -3, -3, -3, -3, -3, -3}, 3, Undecided},
		{"across the margin", []float64{-1, -2, -3, -4, -5, -6}, 3, Undecided},
		{"too few blocks", []float64{-50, -60, -70, -80, -90}, 3, Undecided},
		{"one block", []float64{100}, 3, Undecided},
		{"above a floor", []float64{0.1, 0.2, 0.3, 0.1, 0.4, 0.2}, 0, Pass},
		{"at a floor", []float64{0, 0, 0, 0, 0, 0}, 0, Undecided},
		{"below a floor", []float64{-0.1, -0.2, -0.3, -0.1, -0.4, -0.2}, 0, Regression},
	}
	for _, test := range tests {
		claims, err := GateOf(test.d, test.margin)
		if err != nil {
			t.Fatal(err)
		}
		if got := claims.Outcome(VerdictAlpha); got != test.want {
			t.Errorf("%s: %s, want %s (%+v)", test.name, got, test.want, claims)
		}
	}
}

func TestGatesAreAFamily(t *testing.T) {
	got, err := DecideGates([]GateClaims{{0.001, 1}, {1, 0.01}, {0.02, 0.9}, NoGateClaims()}, VerdictAlpha)
	if err != nil {
		t.Fatal(err)
	}
	want := []GateDecision{
		{Pass, GateClaims{0.004, 1}},
		{Undecided, GateClaims{1, 0.04}},
		{Undecided, GateClaims{0.06, 1}},
		{Undecided, NoGateClaims()},
	}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("gates (-want +got):\n%s", diff)
	}
	for name, family := range map[string][]GateClaims{
		"no p":     {{NotWorse: math.NaN(), Worse: 1}},
		"negative": {{NotWorse: 1, Worse: -1}},
	} {
		if _, err := DecideGates(family, VerdictAlpha); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := DecideGates(nil, 2); err == nil {
		t.Error("level of 2: no error")
	}
	if got := (GateClaims{math.NaN(), math.NaN()}).Outcome(VerdictAlpha); got != Undecided {
		t.Errorf("no evidence is %s", got)
	}
}

// A gate says what the verdict of the same comparison says, and never both.
func TestGateAgreesWithVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := max(0, eighths().Draw(t, "margin"))
		a, b := drawSides(t)
		claims, gate := mustClaims(t, b, margin)
		betweenClaims, err := ClaimsBetween(a, b, margin)
		if err != nil {
			t.Fatal(err)
		}
		between, err := GateBetween(a, b, margin)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range []struct {
			claims Claims
			gate   GateClaims
		}{{claims, gate}, {betweenClaims, between}} {
			verdict, outcome := pair.claims.verdict(VerdictAlpha), pair.gate.Outcome(VerdictAlpha)
			if (verdict == Worse) != (outcome == Regression) || (verdict == Better || verdict == Equivalent) && outcome != Pass {
				t.Fatalf("verdict %s, gate %s", verdict, outcome)
			}
			if max(pair.gate.NotWorse, pair.gate.Worse) < 0.5 {
				t.Fatalf("%+v is plausible in both directions", pair.gate)
			}
		}
	})
}

func mustClaims(t *rapid.T, d []float64, margin float64) (Claims, GateClaims) {
	claims, err := ClaimsOf(d, margin)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := GateOf(d, margin)
	if err != nil {
		t.Fatal(err)
	}
	return claims, gate
}

func TestForecastOfGates(t *testing.T) {
	d := []float64{0.2, -1.4, 1.1, -0.6, 0.9, -2.2, 0.4, -1.9} // about −0.4, margin 2
	gate, err := FurtherBlocksToGate(d, 2, VerdictAlpha)
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := FurtherBlocks(d, 2, VerdictAlpha)
	if err != nil {
		t.Fatal(err)
	}
	if gate.Unknown != "" || gate != verdict { // minus the margin is the nearer one
		t.Errorf("gate %+v, verdict %+v", gate, verdict)
	}
	// At plus the margin the verdict never comes, the gate at once.
	up := moved(d, 1, 2.45)
	gate, err = FurtherBlocksToGate(up, 2, VerdictAlpha)
	if err != nil || gate.Blocks != 1 {
		t.Errorf("far above: %+v, %v, want 1 block", gate, err)
	}
	if verdict, err = FurtherBlocks(up, 2, VerdictAlpha); err != nil || verdict.Unknown == "" {
		t.Errorf("at the margin: %+v, %v, want unknown", verdict, err)
	}
}

func TestForecastBetween(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5}
	tests := []struct {
		name    string
		a, b    []float64
		margin  float64
		between Forecast
		gate    Forecast
	}{
		{"one value", []float64{1}, a, 1, Forecast{Unknown: "too few values to say how many more"},
			Forecast{Unknown: "too few values to say how many more"}},
		{"exactly at the margin", a, moved(a, 1, 1), 1, Forecast{Unknown: "more than 100 further blocks"}, Forecast{Blocks: 11}},
		{"no spread", []float64{1, 1, 1}, []float64{9, 9, 9}, 1, Forecast{Blocks: 1}, Forecast{Blocks: 1}},
	}
	for _, test := range tests {
		between, err := FurtherBetween(test.a, test.b, test.margin, VerdictAlpha)
		if err != nil {
			t.Fatal(err)
		}
		gate, err := FurtherBetweenToGate(test.a, test.b, test.margin, VerdictAlpha)
		if err != nil {
			t.Fatal(err)
		}
		if between != test.between || gate != test.gate {
			t.Errorf("%s: %+v and %+v, want %+v and %+v", test.name, between, gate, test.between, test.gate)
		}
	}
}
