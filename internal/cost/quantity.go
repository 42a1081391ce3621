package cost

import "slices"

// Units of what is priced.
const (
	coresPerNode    = "cores/node"
	coresPerGbit    = "cores/(Gbit/s)"
	coresPerRequest = "core·s/request"
	percentOfNode   = "% of a node"
	gibPerNode      = "GiB/node"
	seconds         = "s"
	joulesPerGbit   = "J/Gbit"
)

// point is a value of one block.
type point struct {
	block int
	value float64
}

// series are the values of a quantity by block, in the order of blocks.
type series []point

func (s series) at(block int) (float64, bool) {
	i, found := slices.BinarySearchFunc(s, block, func(p point, b int) int { return p.block - b })
	if !found {
		return 0, false
	}
	return s[i].value, true
}

func (s series) values() []float64 {
	xs := make([]float64, len(s))
	for i, p := range s {
		xs[i] = p.value
	}
	return xs
}

// mapped applies f to every value.
func (s series) mapped(f func(float64) float64) series {
	out := make(series, len(s))
	for i, p := range s {
		out[i] = point{p.block, f(p.value)}
	}
	return out
}

// both combines the values of the blocks that both have.
func (s series) both(other series, f func(a, b float64) float64) series {
	var out series
	for _, p := range s {
		if x, ok := other.at(p.block); ok {
			out = append(out, point{p.block, f(p.value, x)})
		}
	}
	return out
}

// quantity is something that is priced, as it was measured.
type quantity struct {
	unit   string
	values series
	// margin is the smallest difference that matters, in the unit: that of the
	// metric.
	margin float64
	// missing says why there are no values.
	missing string
}

// usage is what one variant takes and does.
type usage struct {
	name     string
	baseline bool // the host network: nothing of it is overhead
	twin     bool
	nodes    int
	cpu      quantity
	memory   quantity
	latency  quantity // 99th percentile
	energy   quantity
	capacity quantity // bit/s that a node carries
}
