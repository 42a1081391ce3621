package prose

import (
	"fmt"
	"strconv"
	"strings"
)

// Fixed writes x with a real minus sign, and without one before a rounded 0.
func Fixed(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if digits, negative := strings.CutPrefix(s, "-"); negative {
		if strings.Trim(digits, "0.") == "" {
			return digits
		}
		return "−" + digits
	}
	return s
}

// Signed is Fixed with a plus sign before a positive number.
func Signed(x float64, decimals int) string {
	s := Fixed(x, decimals)
	if x > 0 && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

// Plural counts: "1 block", "2 blocks"; the plural may be given.
func Plural(n int, noun string, many ...string) string {
	if n == 1 {
		return "1 " + noun
	}
	if len(many) > 0 {
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
