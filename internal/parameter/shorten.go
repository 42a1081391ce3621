package parameter

import "math"

// Shorten divides a value by n, which is 1 or more, to the nearest value that
// the parameter takes: a multiple of its step, a whole number where it counts,
// and no less than its minimum. What is below all that stays as it is. The
// parameter must be a quantity.
func (p Parameter) Shorten(text string, n float64) (string, error) {
	canonical, err := p.Parse(text)
	if err != nil {
		return "", err
	}
	whole, _ := parseQuantity(p.Kind, canonical)
	step := 1.0
	if p.Step != "" {
		step, _ = parseQuantity(p.Kind, p.Step)
	}
	least := step
	if p.Min != "" {
		least, _ = parseQuantity(p.Kind, p.Min)
	}
	less := whole / n
	if p.Kind != Number || p.Step != "" {
		less = math.Round(less/step) * step
	}
	return formatQuantity(p.Kind, min(whole, max(less, least))), nil
}
