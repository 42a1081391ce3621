package cost

import (
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

// money writes an amount with two decimals and its thousands apart.
func money(x float64) string { return grouped(prose.Fixed(x, 2)) }

// signedMoney is money with the sign of a positive amount.
func signedMoney(x float64) string { return grouped(prose.Signed(x, 2)) }

// grouped puts a comma before every three digits of the whole part.
func grouped(number string) string {
	sign := ""
	for _, s := range []string{"+", "−"} {
		if rest, ok := strings.CutPrefix(number, s); ok {
			sign, number = s, rest
		}
	}
	whole, decimals, _ := strings.Cut(number, ".")
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if decimals != "" {
		decimals = "." + decimals
	}
	return sign + b.String() + decimals
}

// trimmed takes the zeros off the end of a decimal fraction.
func trimmed(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}
