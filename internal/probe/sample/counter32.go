package sample

// counter32 goes on counting where a counter of the kernel, or a sum of them,
// has only 32 bits and begins anew at 0.
type counter32 struct {
	seen        bool
	last, total uint64
}

// What became of a counter between two readings.
type change int

const (
	counted change = iota
	wrapped
	fell // it was reset; the total falls too, so that nobody takes it for a rate
)

const span32 = 1 << 32

// add takes the next reading.
func (c *counter32) add(n uint64) change { return c.addModulo(n, span32) }

// addModulo is for a counter that begins anew at 0 after reaching span. Half
// of the span or more between two readings is taken for a reset, since nothing
// counts so fast.
func (c *counter32) addModulo(n, span uint64) change {
	last := c.last
	c.last = n
	if !c.seen {
		c.seen, c.total = true, n
		return counted
	}
	if n >= last {
		c.total += n - last
		return counted
	}
	back := last - n
	if back > span/2 && back <= span {
		c.total += span - back
		return wrapped
	}
	c.total -= min(c.total, back)
	return fell
}
