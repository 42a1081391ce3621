package stats

import (
	"encoding/binary"
	"math"
	"testing"
)

// floats reads any eight bytes as a number, so that the fuzzer finds NaN,
// infinities, denormals and huge values by itself.
func floats(data []byte, most int) []float64 {
	var xs []float64
	for len(data) >= 8 && len(xs) < most {
		xs = append(xs, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		data = data[8:]
	}
	return xs
}

func asBytes(xs ...float64) []byte {
	var data []byte
	for _, x := range xs {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	return data
}

// FuzzEverything feeds hostile numbers to all that takes samples: an error or
// an answer, never a panic, no p-value that is none, and no verdict from fewer
// values than can carry one.
func FuzzEverything(f *testing.F) {
	nan, inf := math.NaN(), math.Inf(1)
	seeds := [][2][]byte{
		{nil, nil},
		{asBytes(1), asBytes(2)},
		{asBytes(nan, 1, 2), asBytes(1, inf)},
		{asBytes(3, 3, 3, 3, 3, 3), asBytes(3, 3, 3, 3, 3, 3)},
		{asBytes(1e150, -1e150, 1e-320, 0, 5e-324, 1), asBytes(-1e150, 1e150, 2, 2, 2, 2)},
		{asBytes(math.MaxFloat64, 1, 2), asBytes(-math.MaxFloat64)},
		{asBytes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), asBytes(2, 3, 5, 7, 11, 13, 17, 19, 23, 29)},
		{asBytes(1, 1+0x1p-52, 1, 1-0x1p-53, 1, 1, 1), asBytes(0, math.Copysign(0, -1), 0, 0, 0)},
	}
	for _, seed := range seeds {
		f.Add(seed[0], seed[1], 0.03, 0.95)
	}
	f.Add(asBytes(1, 2, 3), asBytes(1), -1.0, 2.0)
	f.Fuzz(func(t *testing.T, first, second []byte, margin, confidence float64) {
		a, b := floats(first, 24), floats(second, 24)
		checkClaims(t, len(a), 6, func() (Claims, error) { return ClaimsOf(a, margin) })
		checkClaims(t, len(a)+len(b), 8, func() (Claims, error) { return ClaimsBetween(a, b, margin) })
		for _, gate := range []func() (GateClaims, error){
			func() (GateClaims, error) { return GateOf(a, margin) },
			func() (GateClaims, error) { return GateBetween(a, b, margin) },
		} {
			if c, err := gate(); err == nil && (!isP(c.NotWorse) || !isP(c.Worse)) {
				t.Fatalf("gate %+v", c)
			}
		}
		if shift, err := PairedShift(a, confidence); err == nil {
			checkEnds(t, shift.Interval, shift.Estimate)
		}
		if shift, err := ShiftBetween(a, b, confidence); err == nil {
			checkEnds(t, shift.Interval, shift.Estimate)
		}
		if w, err := WelchT(a, b, confidence); err == nil {
			checkEnds(t, w.Interval, w.Difference)
			checkPs(t, w.Greater, w.Less, w.TwoSided)
		}
		if r, err := MannWhitney(a, b); err == nil {
			checkPs(t, r.Greater, r.Less, r.TwoSided)
		}
		if q, err := Quantile(a, margin, confidence); err == nil {
			checkEnds(t, q.Interval, q.Interval.Low)
		}
		for _, zeros := range []Zeros{PrattZeros, DropZeros} {
			if r, err := Wilcoxon(a, zeros); err == nil {
				checkPs(t, r.Greater, r.Less, r.TwoSided)
			}
		}
		if s, err := SignFlips(a, 1); err == nil {
			checkPs(t, s.Greater, s.Less, s.TwoSided)
		}
		if noise, err := NoiseOf(a, confidence); err == nil {
			checkEnds(t, noise.Interval, noise.Interval.Low)
		}
		if p, err := PTwoSided(a, margin); err == nil {
			checkPs(t, p)
		}
		// What these return is checked elsewhere; here they must not panic.
		_, _ = FurtherBlocks(a, margin, 1-confidence)
		_, _ = FurtherBlocksToGate(a, margin, 1-confidence)
		_, _ = FurtherBetween(a, b, margin, 1-confidence)
		_, _ = Summarize(a, confidence)
		_, _ = ModifiedZ(a)
		_, _ = Kendall(a, b)
		_, _ = UniformityOf(a, b)
		_, _ = DefaultLooks().Look(len(a), []Precision{{a, margin}})
		_, _ = BCa(len(a), func(rows []int) float64 { return a[rows[0]] * confidence }, confidence, 100, 1)
	})
}

func checkClaims(t *testing.T, n, least int, claims func() (Claims, error)) {
	t.Helper()
	c, err := claims()
	if err != nil {
		return
	}
	checkPs(t, c.Better, c.Worse, c.Equivalent)
	if verdict := c.verdict(VerdictAlpha); n < least && verdict != Inconclusive {
		t.Fatalf("%s from %d values: %+v", verdict, n, c)
	}
}

func isP(p float64) bool { return p >= 0 && p <= 1 }

func checkPs(t *testing.T, ps ...float64) {
	t.Helper()
	for _, p := range ps {
		if !isP(p) {
			t.Fatalf("p-values %v", ps)
		}
	}
}

func checkEnds(t *testing.T, iv Interval, estimate float64) {
	t.Helper()
	if !(iv.Low <= iv.High) || !(iv.Low <= estimate && estimate <= iv.High) {
		t.Fatalf("interval %+v about %v", iv, estimate)
	}
	if finite := !math.IsInf(iv.Low, 0) && !math.IsInf(iv.High, 0); !finite && iv.Absent == "" {
		t.Fatalf("interval %+v is not finite and says nothing", iv)
	}
}
