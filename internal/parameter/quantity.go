package parameter

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// textSyntax keeps values fit for names of files, because cells' ids
	// become those.
	textSyntax = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._:-]{0,126}[A-Za-z0-9])?$`)
	// durationSyntax is that of time.ParseDuration without signs.
	durationSyntax = regexp.MustCompile(`^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`)
	// integerSyntax is what YAML 1.1, YAML 1.2 and people read alike: 010 is not.
	integerSyntax = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	numberSyntax  = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	bytesSyntax   = regexp.MustCompile(`^(0|[1-9][0-9]*)(KiB|MiB|GiB)?$`)
	rateSyntax    = regexp.MustCompile(`^((?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(bit|kbit|Mbit|Gbit)(?:/s)?$`)
)

// The largest whole number that a float64 tells from its neighbours.
const largest = 1 << 53

// Units, the largest first. Bytes are counted in powers of 1024 and bits per
// second in powers of 1000, as IEC 80000-13 and network interfaces have it.
var (
	bytesUnits = []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}
	rateUnits  = []unit{{"Gbit", 1e9}, {"Mbit", 1e6}, {"kbit", 1e3}, {"bit", 1}}
)

type unit struct {
	name string
	size float64
}

// parseQuantity returns nanoseconds, a number, bytes, or bits per second.
func parseQuantity(k Kind, text string) (float64, bool) {
	var quantity float64
	switch k {
	case Duration:
		d, err := time.ParseDuration(text)
		if err != nil || !durationSyntax.MatchString(text) {
			return 0, false
		}
		quantity = float64(d)
	case Integer, Number:
		syntax := integerSyntax
		if k == Number {
			syntax = numberSyntax
		}
		q, err := strconv.ParseFloat(text, 64)
		if err != nil || !syntax.MatchString(text) {
			return 0, false
		}
		quantity = q
	case Bytes:
		return scaled(bytesSyntax.FindStringSubmatch(text), bytesUnits)
	case Rate:
		return scaled(rateSyntax.FindStringSubmatch(text), rateUnits)
	default:
		return 0, false
	}
	return quantity, quantity <= largest
}

// scaled multiplies a matched number by its matched unit.
func scaled(match []string, units []unit) (float64, bool) {
	if match == nil {
		return 0, false
	}
	q, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		return 0, false
	}
	for _, u := range units {
		if u.name == match[2] {
			// Neither unit has parts: 2.5 Gbit/s are 2,500,000,000 bit/s.
			q = math.Round(q * u.size)
		}
	}
	return q, q <= largest
}

// formatQuantity is the inverse of parseQuantity.
func formatQuantity(k Kind, quantity float64) string {
	switch k {
	case Duration:
		return formatDuration(time.Duration(quantity))
	case Bytes:
		return formatScaled(quantity, bytesUnits)
	case Rate:
		return formatScaled(quantity, rateUnits)
	}
	return strconv.FormatFloat(quantity, 'f', -1, 64)
}

// formatScaled uses the largest unit in which the quantity is a whole number.
func formatScaled(quantity float64, units []unit) string {
	for _, u := range units {
		if n := quantity / u.size; n >= 1 && n == math.Trunc(n) {
			return strconv.FormatFloat(n, 'f', -1, 64) + u.name
		}
	}
	return "0" + units[len(units)-1].name
}

// formatDuration writes a duration as people do: 1m, not 1m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
