package sample

import "fmt"

// have tells whether all samples have a figure. One that only some have is
// noted as missing.
func (c *cover) have(figure string, has func(*Sample) bool) bool {
	n := 0
	for i := range c.samples {
		if has(&c.samples[i]) {
			n++
		}
	}
	if n == 0 {
		return false
	}
	c.found[figure] = true
	if n < len(c.samples) {
		c.missing[figure] = fmt.Sprintf("%d of %d samples have it", n, len(c.samples))
		return false
	}
	return true
}

// counter is the rate of a counter, nil and noted as missing if it fell.
func (c *cover) counter(figure string, v func(*Sample) float64) *float64 {
	r, ok := c.rates(figure, v)
	if !ok {
		return nil
	}
	return &r[0]
}

// rates are the rates of counters that make up one figure. If one of them
// fell, the figure is noted as missing.
func (c *cover) rates(figure string, counters ...func(*Sample) float64) ([]float64, bool) {
	rates := make([]float64, len(counters))
	for i, v := range counters {
		if before, after, fell := c.falls(v); fell {
			c.missing[figure] = fmt.Sprintf("a counter fell from %.15g to %.15g between samples", before, after)
			return nil, false
		}
		rates[i] = c.rate(v)
	}
	return rates, true
}

// counters are the rates of a map of counters.
func (c *cover) counters(figure string, of func(*Sample) map[string]uint64) map[string]float64 {
	return rateMap(c, figure, of)
}

func rateMap[N uint64 | float64](c *cover, figure string, of func(*Sample) map[string]N) map[string]float64 {
	return summarizeEach(c, figure, of, func(figure string, one func(*Sample) N) (float64, bool) {
		r, ok := c.rates(figure, func(s *Sample) float64 { return float64(one(s)) })
		if !ok {
			return 0, false
		}
		return r[0], true
	})
}

// summarizeEach summarizes what a map holds, key by key. What is not in all
// samples is noted as missing; the result is nil if nothing is left.
func summarizeEach[V, R any](c *cover, figure string, of func(*Sample) map[string]V,
	summarize func(figure string, of func(*Sample) V) (R, bool),
) map[string]R {
	known := map[string]bool{}
	var results map[string]R
	for i := range c.samples {
		for key := range of(&c.samples[i]) {
			if known[key] {
				continue
			}
			known[key] = true
			one := figure + "/" + key
			if !c.have(one, func(s *Sample) bool { _, ok := of(s)[key]; return ok }) {
				continue
			}
			if r, ok := summarize(one, func(s *Sample) V { return of(s)[key] }); ok {
				if results == nil {
					results = map[string]R{}
				}
				results[key] = r
			}
		}
	}
	if len(known) > 0 {
		c.found[figure] = true
	}
	return results
}
