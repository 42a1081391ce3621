package sample

import "testing"

// A quantity that does not change has itself as mean and maximum, to the last
// bit, however uneven its samples are.
func TestGaugeOfAConstant(t *testing.T) {
	const bytes = 21237760
	var s Series
	for _, seconds := range []float64{0, 0.101, 0.203, 0.307, 0.4001, 0.5003, 0.607, 0.7009} {
		s.Samples = append(s.Samples, Sample{At: at(seconds), Mono: at(seconds).Sub(epoch)})
	}
	c, err := coverWindow(s, Window{at(0.05), at(0.69)})
	if err != nil {
		t.Fatal(err)
	}
	if g := c.gauge(func(*Sample) float64 { return bytes }); g.Mean != bytes || g.Max != bytes {
		t.Errorf("%+v", g)
	}
}
