package cost

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

// parallel is the answer where nothing in a difference has to do with the
// dimension.
func (d dimension) parallel() string {
	if d.name == ByRequests {
		return "never cross: nothing in which they differ is priced by the request"
	}
	return "never cross: nothing in which they differ is priced by the node"
}

// answer says in words which of two variants costs less where.
func (d dimension) answer(b BreakEven, c course, name map[int]string) string {
	switch {
	case b.Always:
		return fmt.Sprintf("never cross: %s is always cheaper, from %s on", b.Small, d.place(d.low))
	case b.Small == "" && b.Large == "":
		return "at no size is either shown to be cheaper" + d.estimated(c, name)
	case b.Small == "":
		return fmt.Sprintf("%s is cheaper from %s on; below, neither is shown to be%s", b.Large, d.place(*b.From), d.estimated(c, name))
	case b.Large == "":
		return fmt.Sprintf("%s is cheaper up to %s; above, neither is shown to be%s", b.Small, d.place(*b.UpTo), d.estimated(c, name))
	case b.Small == b.Large:
		return fmt.Sprintf("%s is cheaper up to %s and from %s on; between, neither is shown to be", b.Small, d.place(*b.UpTo), d.place(*b.From))
	}
	return fmt.Sprintf("%s is cheaper up to %s, %s from %s on%s", b.Small, d.place(*b.UpTo), b.Large, d.place(*b.From), d.estimated(c, name))
}

// estimated says what the estimates alone would say.
func (d dimension) estimated(c course, name map[int]string) string {
	switch {
	case c.crossings > 1:
		return " (the estimates cross more than once)"
	case c.crossing != nil:
		return fmt.Sprintf(" (the estimates cross at %s: above, that of %s is lower)", d.place(*c.crossing), name[c.estimateLast])
	case c.estimateLast != 0:
		return fmt.Sprintf(" (the estimates do not cross: that of %s is lower)", name[c.estimateLast])
	}
	return ""
}

// unproven is the answer that figures without an interval give.
func (d dimension) unproven(c course, name map[int]string) string {
	const proviso = " by the figures, of which nobody knows the noise"
	switch {
	case c.crossings > 1:
		return "cross more than once," + proviso
	case c.crossing != nil && d.whole:
		return fmt.Sprintf("%s is cheaper below %s, %s from there on,%s", name[c.estimateFirst], d.place(*c.crossing), name[c.estimateLast], proviso)
	case c.crossing != nil:
		return fmt.Sprintf("%s is cheaper up to %s, %s above,%s", name[c.estimateFirst], d.place(*c.crossing), name[c.estimateLast], proviso)
	case c.estimateLast == 0:
		return "cost the same everywhere," + proviso
	}
	return fmt.Sprintf("never cross: %s is always cheaper, from %s on,%s", name[c.estimateLast], d.place(d.low), proviso)
}

// place writes a size or a volume, the latter with three digits.
func (d dimension) place(x float64) string {
	if d.whole {
		words := prose.Plural(int(x), "node")
		number, rest, _ := strings.Cut(words, " ")
		return prose.Grouped(number) + " " + rest
	}
	return volume(x)
}

// volume writes how many requests there are.
func volume(x float64) string {
	if x == 1 {
		return "1 request a month"
	}
	return rounded(x) + " requests a month"
}

// rounded writes a number with three significant digits and, where it is large,
// a word.
func rounded(x float64) string {
	for _, s := range []struct {
		size float64
		word string
	}{{1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}} {
		if x >= s.size {
			return trimmed(strconv.FormatFloat(x/s.size, 'f', 2, 64)) + s.word
		}
	}
	if x < 1000 {
		return trimmed(strconv.FormatFloat(x, 'f', 2, 64))
	}
	scale := math.Pow(10, math.Floor(math.Log10(x))-2)
	return prose.Grouped(strconv.FormatFloat(math.Round(x/scale)*scale, 'f', 0, 64))
}
