package parameter

// Quantity reads a value in canonical text without knowing its kind: a plain
// number, bytes, a rate in bits per second, or a duration in nanoseconds. A
// plain number is an [Integer] or a [Number]; it may also be bytes.
func Quantity(text string) (float64, Kind, bool) {
	for _, k := range []Kind{Integer, Number, Bytes, Rate, Duration} {
		if q, ok := parseQuantity(k, text); ok {
			return q, k, true
		}
	}
	return 0, "", false
}

// Quantities reads the values of one parameter, which is of one kind; false
// where they are no quantities that can be put in an order.
func Quantities(texts []string) ([]float64, bool) {
	var list []float64
	seen := map[Kind]bool{}
	for _, text := range texts {
		q, k, ok := Quantity(text)
		if !ok {
			return nil, false
		}
		list, seen[k] = append(list, q), true
	}
	if seen[Bytes] { // bytes without a unit are whole numbers
		delete(seen, Integer)
	} else if seen[Number] {
		delete(seen, Integer)
	}
	return list, len(seen) <= 1
}
