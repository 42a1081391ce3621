package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// law is a distribution of block values or differences with known centres.
type law struct {
	name         string
	draw         func(*rand.Rand) float64
	median       float64
	pseudomedian float64 // of the mean of two values: what Hodges–Lehmann estimates
}

// laws needs the pseudomedian of the lognormal, which has no closed form.
func laws(lognormalPseudomedian float64) []law {
	lognormal := func(r *rand.Rand) float64 { return math.Exp(0.5 * r.NormFloat64()) }
	return []law{
		{"normal", (*rand.Rand).NormFloat64, 0, 0},
		{"lognormal", lognormal, 1, lognormalPseudomedian},
		{"lognormal-difference", func(r *rand.Rand) float64 { return lognormal(r) - lognormal(r) }, 0, 0},
		{"heavy-tailed", func(r *rand.Rand) float64 { return student(r, 3) }, 0, 0},
		{"rounded-normal", func(r *rand.Rand) float64 { return math.Round(2 * r.NormFloat64()) }, 0, 0},
	}
}

// student draws Student's t with a whole number of degrees of freedom.
func student(r *rand.Rand, df int) float64 {
	var squares float64
	for range df {
		z := r.NormFloat64()
		squares += z * z
	}
	return r.NormFloat64() / math.Sqrt(squares/float64(df))
}

func (l law) sample(r *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = l.draw(r)
	}
	return xs
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(2024, 6)) }

// covers returns how often the intervals of the median and of the shift hold
// the true value, as shares of the repetitions.
func covers(l law, n, repetitions int) (median, shift float64) {
	r := seeded()
	for range repetitions {
		xs, _ := sortedSample(l.sample(r, n))
		if iv := medianInterval(xs, 0.95); iv.Low <= l.median && l.median <= iv.High {
			median++
		}
		if iv := shiftInterval(xs, 0.95); iv.Low <= l.pseudomedian && l.pseudomedian <= iv.High {
			shift++
		}
	}
	return median / float64(repetitions), shift / float64(repetitions)
}

// The bounds are four standard errors of 4000 repetitions or more around the
// exact coverage at n = 10: 0.9785 for the median, 0.9512 for the shift. The
// lognormal is not symmetric, which the shift assumes; rounded values are
// covered more often, since ends belong to the interval.
func TestCoverage(t *testing.T) {
	type bounds struct{ low, high float64 }
	want := map[string]struct{ median, shift bounds }{
		"normal":               {bounds{0.967, 0.988}, bounds{0.937, 0.965}},
		"lognormal":            {bounds{0.967, 0.988}, bounds{0.930, 0.965}},
		"lognormal-difference": {bounds{0.967, 0.988}, bounds{0.937, 0.965}},
		"heavy-tailed":         {bounds{0.967, 0.988}, bounds{0.937, 0.965}},
		"rounded-normal":       {bounds{0.967, 1}, bounds{0.937, 0.995}},
	}
	for _, l := range laws(readGolden(t).LognormalPseudomedian.Value) {
		median, shift := covers(l, 10, 4000)
		w := want[l.name]
		if median < w.median.low || median > w.median.high {
			t.Errorf("%s: the median is covered in %.4f of samples, want %v", l.name, median, w.median)
		}
		if shift < w.shift.low || shift > w.shift.high {
			t.Errorf("%s: the shift is covered in %.4f of samples, want %v", l.name, shift, w.shift)
		}
	}
}

// The interval of the shift covers it as often as it says, at other sizes too:
// for pairs, the difference of two values of any one law is symmetric. The
// bounds are four standard errors of 1,000 repetitions, at most 0.028; make
// bench TOPIC=stats shows three digits.
func TestCoverageIsWhatIsAttainable(t *testing.T) {
	const repetitions = 1000
	for _, l := range laws(readGolden(t).LognormalPseudomedian.Value) {
		if l.name == "rounded-normal" {
			continue // ends belong to the interval, so that ties cover more
		}
		for _, n := range []int{6, 10, 20} {
			r := seeded()
			var paired, unpaired int
			var attainable, attainableUnpaired float64
			for range repetitions {
				a, b := l.sample(r, n), l.sample(r, n)
				d := make([]float64, n)
				for i := range d {
					d[i] = b[i] - a[i]
				}
				sorted, _ := sortedSample(d)
				iv := shiftInterval(sorted, 0.95)
				if attainable = iv.Coverage; iv.Low <= 0 && 0 <= iv.High {
					paired++
				}
				shift, err := ShiftBetween(a, b, 0.95)
				if err != nil {
					t.Fatal(err)
				}
				if attainableUnpaired = shift.Interval.Coverage; shift.Interval.Low <= 0 && 0 <= shift.Interval.High {
					unpaired++
				}
			}
			check := func(kind string, covered int, want float64) {
				tolerance := 4 * math.Sqrt(want*(1-want)/repetitions)
				if got := float64(covered) / repetitions; math.Abs(got-want) > tolerance {
					t.Errorf("%s, %s, n = %d: covered in %.4f of samples, want %.4f", l.name, kind, n, got, want)
				}
			}
			check("pairs", paired, attainable)
			check("independent", unpaired, attainableUnpaired)
		}
	}
}

// pairedSD is the spread of paired differences that the methodology plans with:
// 2 % within a run, times √2.
const pairedSD = 0.028

// verdicts returns the verdicts about a single comparison with the given true
// shift and margin, as shares of the repetitions.
func verdicts(shift, margin float64, n, repetitions int) map[Verdict]float64 {
	r := seeded()
	counts := map[Verdict]int{}
	d := make([]float64, n)
	for range repetitions {
		for i := range d {
			d[i] = shift + pairedSD*r.NormFloat64()
		}
		claims, _ := ClaimsOf(d, margin)
		counts[claims.verdict(VerdictAlpha)]++
	}
	shares := map[Verdict]float64{}
	for verdict, count := range counts {
		shares[verdict] = float64(count) / float64(repetitions)
	}
	return shares
}

// At the margin every verdict but inconclusive is a false alarm. The exact
// rate at n = 10 is 0.0244, its standard error here 0.0024.
func TestFalseAlarmsAtTheMargin(t *testing.T) {
	margin := math.Log(1.03)
	for shift, outward := range map[float64]Verdict{margin: Better, -margin: Worse} {
		shares := verdicts(shift, margin, 10, 4000)
		if p := shares[outward]; p < 0.014 || p > 0.034 {
			t.Errorf("shift %v: %s in %.4f of campaigns, want about 0.0244", shift, outward, p)
		}
		if p := shares[Equivalent]; p < 0.005 || p > 0.034 {
			t.Errorf("shift %v: equivalent in %.4f of campaigns, want at most 0.0244", shift, p)
		}
	}
}

// How often a true effect is found with ten blocks, a margin of 3 % and a
// single comparison, against the same simulation in SciPy. The exact test on
// the log scale finds 5 % in 48, 6 % in 81 and 8 % in 99.5 of 100 campaigns;
// Student's t on plain percentages would promise 53, 86 and 99.9.
func TestPower(t *testing.T) {
	for _, want := range readGolden(t).Power {
		got := verdicts(math.Log1p(want.Effect), math.Log1p(want.Margin), 10, 4000)[Better]
		// Four standard errors of a share of 4000.
		if tolerance := 4 * math.Sqrt(want.Power*(1-want.Power)/4000); math.Abs(got-want.Power) > tolerance {
			t.Errorf("a true effect of %v is found in %.4f of campaigns, want %.4f", want.Effect, got, want.Power)
		}
	}
}

// Nine variants against one base, all exactly at the margin: the chance of any
// false verdict in the family stays at the level.
func TestFamilyFalseAlarms(t *testing.T) {
	const repetitions = 2000
	margin := math.Log(1.03)
	r := seeded()
	falseVerdicts := 0
	for range repetitions {
		family := make([]Claims, 9)
		base := law{draw: (*rand.Rand).NormFloat64}.sample(r, 10)
		for i := range family {
			d := make([]float64, len(base))
			for block := range d {
				d[block] = margin + 0.02*(r.NormFloat64()-base[block])
			}
			family[i], _ = ClaimsOf(d, margin)
		}
		decisions, err := Decide(family, VerdictAlpha)
		if err != nil {
			t.Fatal(err)
		}
		for _, decision := range decisions {
			if decision.Verdict == Better || decision.Verdict == Worse {
				falseVerdicts++
				break
			}
		}
	}
	alarms := float64(falseVerdicts) / repetitions
	// 0.025 plus three standard errors; above nil, or nothing was tested.
	if alarms == 0 || alarms > 0.036 {
		t.Errorf("any false verdict in %.4f of campaigns, want above 0 and at most 0.025", alarms)
	}
}

// A forecast made from a sample that knows the truth is kept about as often as
// its power says.
func TestForecastIsKept(t *testing.T) {
	margin := math.Log(1.03)
	for _, shift := range []float64{0, 0.05, 0.06} {
		// Normal scores: ten differences with exactly this shift and spread.
		d := make([]float64, 10)
		for i := range d {
			d[i] = shift + pairedSD*normalQuantile((float64(i)+0.5)/10)
		}
		forecast, err := FurtherBlocks(d, margin, VerdictAlpha)
		if err != nil || forecast.Unknown != "" {
			t.Fatalf("shift %v: %+v, %v", shift, forecast, err)
		}
		settled := 1 - verdicts(shift, margin, len(d)+forecast.Blocks, 1000)[Inconclusive]
		t.Logf("shift %v: %d further blocks settle it in %.2f of campaigns", shift, forecast.Blocks, settled)
		if settled < 0.65 || settled > 0.999 {
			t.Errorf("shift %v: %d further blocks settle it in %.2f of campaigns, want about 0.8", shift, forecast.Blocks, settled)
		}
	}
}

// BenchmarkCoverage reports, besides the time of one sample, the coverage of
// both intervals over all iterations; run it with -benchtime=20000x for three
// digits.
func BenchmarkCoverage(b *testing.B) {
	for _, l := range laws(readGolden(b).LognormalPseudomedian.Value) {
		for _, n := range []int{6, 10, 20} {
			b.Run(fmt.Sprintf("%s/n=%d", l.name, n), func(b *testing.B) {
				median, shift := covers(l, n, b.N)
				b.ReportMetric(100*median, "%median")
				b.ReportMetric(100*shift, "%shift")
			})
		}
	}
}

// BenchmarkVerdict reports the share of verdicts at the margin and at the
// effects of TestPower.
func BenchmarkVerdict(b *testing.B) {
	for _, effect := range []float64{0, 0.03, 0.05, 0.06, 0.08} {
		b.Run(fmt.Sprintf("effect=%v", effect), func(b *testing.B) {
			shares := verdicts(math.Log1p(effect), math.Log(1.03), 10, b.N)
			b.ReportMetric(100*shares[Better], "%better")
			b.ReportMetric(100*shares[Equivalent], "%equivalent")
		})
	}
}

// BenchmarkPairedShift shows the cost of large campaigns.
func BenchmarkPairedShift(b *testing.B) {
	for _, n := range []int{10, 50, 100} {
		d := laws(0)[0].sample(seeded(), n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := PairedShift(d, 0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
