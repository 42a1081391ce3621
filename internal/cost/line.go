package cost

// Line is an amount of money a month that depends on the size of a cluster and
// on the requests to it.
type Line struct {
	Fixed      float64 // a cluster
	PerNode    float64
	PerRequest float64
}

// At is the amount for so many nodes and requests a month.
func (l Line) At(nodes int, requests float64) float64 {
	return l.Fixed + l.PerNode*float64(nodes) + l.PerRequest*requests
}

func (l Line) plus(m Line) Line {
	return Line{l.Fixed + m.Fixed, l.PerNode + m.PerNode, l.PerRequest + m.PerRequest}
}

func (l Line) minus(m Line) Line { return l.plus(m.times(-1)) }

func (l Line) times(x float64) Line { return Line{l.Fixed * x, l.PerNode * x, l.PerRequest * x} }
