package claims

import (
	"math"
	"testing"
)

func TestParseNumber(t *testing.T) {
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-12 }
	for _, c := range []struct {
		text            string
		percentages     bool
		low, high, half float64
	}{
		{"9.6", false, 9.6, 9.6, 0.05},
		{"147", false, 147, 147, 0.5},
		{"0.65", false, 0.65, 0.65, 0.005},
		{"~13", false, 13, 13, 1},
		{"9.2..9.8", false, 9.2, 9.8, 0.05},
		{"28..35.5", false, 28, 35.5, 0.05},
		{">=450", false, 450, math.Inf(1), 0},
		{"<=10", false, math.Inf(-1), 10, 0},
		{"-38%", true, -0.38, -0.38, 0.005},
		{"+15 %", true, 0.15, 0.15, 0.005},
		{"10%..15%", true, 0.10, 0.15, 0.005},
		{"-5%..5%", true, -0.05, 0.05, 0.005},
		{">=40%", true, 0.40, math.Inf(1), 0},
		{"-12.5%", true, -0.125, -0.125, 0.0005},
	} {
		n, err := ParseNumber(c.text, c.percentages)
		if err != nil || !near(n.Low, c.low) || !near(n.High, c.high) || !near(n.Half, c.half) {
			t.Errorf("%q: %+v, %v", c.text, n, err)
		}
	}
	for _, text := range []string{"", "x", "1e5", "1,5", "9.8..9.2", "10%", "010", ".5", "5.", "NaN", "Inf", "99999999999999999999", "1..2..3"} {
		if n, err := ParseNumber(text, false); err == nil {
			t.Errorf("%q is %+v", text, n)
		}
	}
	for _, text := range []string{"38", "10..15%", "10%..15"} {
		if n, err := ParseNumber(text, true); err == nil {
			t.Errorf("%q as a percentage is %+v", text, n)
		}
	}
}

func TestNumberHolds(t *testing.T) {
	for _, c := range []struct {
		text string
		x    float64
		want bool
	}{
		{"94", 94.148, true}, {"94", 94.6, false}, {"9.2..9.8", 9.15, true}, {"9.2..9.8", 9.9, false},
		{"25", 25.5, true}, {"25", 28.96, false}, {">=8", 7.9, false}, {">=8", 1e9, true}, {"<=2", 2, true},
	} {
		n, err := ParseNumber(c.text, false)
		if err != nil {
			t.Fatal(err)
		}
		if n.Holds(c.x) != c.want {
			t.Errorf("%s holds %v: %v", c.text, c.x, !c.want)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, text := range []string{"9.6", "~13", "10%..15%", ">=450", "-38 %", "..", "1..", "~~1"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, percentages bool) {
		n, err := ParseNumber(text, percentages)
		if err != nil {
			return
		}
		if math.IsNaN(n.Low) || math.IsNaN(n.High) || n.Low > n.High || n.Half < 0 || math.IsInf(n.Half, 0) {
			t.Errorf("%q is %+v", text, n)
		}
	})
}

func TestGoodput(t *testing.T) {
	for _, c := range []struct {
		rate               float64
		mtu, encapsulation int
		want               float64
	}{
		{10e9, 1500, 0, 10e9 * 1460 / 1538},
		{10e9, 1500, 50, 10e9 * 1410 / 1538},
		{40e9, 9000, 0, 40e9 * 8960 / 9038},
		{10e9, 0, 50, 10e9},
	} {
		if got := goodput(c.rate, c.mtu, c.encapsulation); math.Abs(got-c.want) > 1 {
			t.Errorf("goodput(%v, %d, %d) = %v, want %v", c.rate, c.mtu, c.encapsulation, got, c.want)
		}
	}
}
