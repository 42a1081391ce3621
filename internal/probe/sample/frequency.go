package sample

// frequency sums up how fast CPUs run, in hertz; nil of none.
func frequency(hertz []float64) *Frequency {
	if len(hertz) == 0 {
		return nil
	}
	f := Frequency{Min: hertz[0], Max: hertz[0]}
	for _, h := range hertz {
		f.Mean += h
		f.Min, f.Max = min(f.Min, h), max(f.Max, h)
	}
	f.Mean /= float64(len(hertz))
	return &f
}
