package claims

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lookupIn(numbers map[string]float64) Lookup {
	return func(reference string) (float64, error) {
		x, ok := numbers[reference]
		if !ok {
			return 0, errors.New("there is no claim " + reference)
		}
		return x, nil
	}
}

func TestEvaluate(t *testing.T) {
	numbers := lookupIn(map[string]float64{"p99.cilium": 147, "seed-003/p99": 186})
	for text, want := range map[string]float64{
		"1 + 2 * 3":                     7,
		"(1 + 2) * 3":                   9,
		"8 - 3 - 2":                     3,
		"8 / 4 / 2":                     1,
		"-2 ^ 2":                        -4,
		"2 ^ -1":                        0.5,
		"2 ^ 3 ^ 2":                     512,
		"--3":                           3,
		"2 * -3":                        -6,
		"max(0, 147/1000 - 0.2) * 100":  0,
		"min(3, 1, 2)":                  1,
		"abs(1 - 3) + sqrt(9)":          5,
		"[p99.cilium]/[seed-003/p99]-1": 147.0/186 - 1,
		" 1\n+\t1 ":                     2,
	} {
		e, err := ParseExpression(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := e.Evaluate(numbers); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%q = %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestEvaluateFails(t *testing.T) {
	for text, want := range map[string]string{
		"1 / 0":     "no finite value",
		"sqrt(-1)":  "no finite value",
		"10 ^ 999":  "no finite value",
		"[unknown]": "there is no claim unknown",
	} {
		e, err := ParseExpression(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := e.Evaluate(lookupIn(nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := (Expression{}).Evaluate(nil); err == nil {
		t.Error("no formula has a value")
	}
}

func TestParseExpressionFails(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "ends where a number is expected",
		"1 +":                     "ends where a number is expected",
		"1 2":                     `"2" is not expected`,
		"(1":                      "not closed",
		"[a":                      "id of a claim in brackets",
		"[]":                      "id of a claim in brackets",
		"1.2.3":                   "not a number",
		"log(2)":                  `no function "log"`,
		"abs(1, 2)":               "abs takes 1 number, not 2",
		"abs 1":                   "abs needs parentheses",
		"max(1, 2":                "not closed",
		"1 $ 2":                   "not expected",
		strings.Repeat("(", 100):  "nested too deeply",
		strings.Repeat("-", 100):  "nested too deeply",
		strings.Repeat("1+", 2e3): "characters",
	} {
		if _, err := ParseExpression(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
}

func TestReferences(t *testing.T) {
	e, err := ParseExpression("[a] + max([b/c], [a], 3)")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b/c"}, e.References()); diff != "" {
		t.Error(diff)
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{"1+2*3", "max(0,[a]/1000-0.2)^2", "-(-(1))", "sqrt(2)/abs(-3)", "((((", "[a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseExpression(text)
		if err != nil {
			return
		}
		numbers := map[string]float64{}
		for _, reference := range e.References() {
			numbers[reference] = 2
		}
		x, err := e.Evaluate(lookupIn(numbers))
		if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
			t.Errorf("%q = %v", text, x)
		}
		again, err := ParseExpression(e.String())
		if err != nil {
			t.Fatalf("%q reads %q, which is not read: %v", text, e, err)
		}
		if y, err := again.Evaluate(lookupIn(numbers)); err == nil && y != x {
			t.Errorf("%q = %v, and written as %q %v", text, x, e, y)
		}
	})
}
