package cost

import (
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

// priceText writes the price of one of something, with the digits that it has.
func priceText(x float64) string { return prose.Grouped(short(x)) }

// trimmed takes the zeros off the end of a decimal fraction.
func trimmed(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}
