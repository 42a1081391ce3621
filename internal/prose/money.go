package prose

import "strings"

// Money writes an amount with two decimals and its thousands apart, such as
// 240,705.39: the one way in which amounts of money are shown.
func Money(x float64) string { return Grouped(Fixed(x, 2)) }

// SignedMoney is Money with the sign of a positive amount.
func SignedMoney(x float64) string { return Grouped(Signed(x, 2)) }

// Grouped puts a comma before every three digits of the whole part of a number.
// One with an exponent stays as it is.
func Grouped(number string) string {
	sign := ""
	for _, s := range []string{"+", "−"} {
		if rest, ok := strings.CutPrefix(number, s); ok {
			sign, number = s, rest
		}
	}
	whole, decimals, _ := strings.Cut(number, ".")
	if strings.Trim(whole, "0123456789") != "" {
		return sign + number
	}
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
