package sample

import "math"

// machine fills in what is neither CPU time nor network.
func (c *cover) machine(sum *Summary) {
	sum.SoftIRQs = c.counters("softirqs", func(s *Sample) map[string]uint64 { return s.SoftIRQs })
	if c.have("tasks", func(s *Sample) bool { return s.Tasks != nil }) {
		if forks := c.counter("tasks", func(s *Sample) float64 { return float64(s.Tasks.Forks) }); forks != nil {
			sum.Tasks = &TaskSummary{
				Running: c.gauge(func(s *Sample) float64 { return float64(s.Tasks.Running) }),
				Blocked: c.gauge(func(s *Sample) float64 { return float64(s.Tasks.Blocked) }),
				Forks:   *forks,
			}
		}
	}
	if c.have("memoryBytes", func(s *Sample) bool { return s.Memory != nil }) {
		sum.Memory = &MemorySummary{
			Used:       c.gauge(func(s *Sample) float64 { return float64(s.Memory.Used()) }),
			LessCaches: c.gauge(func(s *Sample) float64 { return float64(s.Memory.LessCaches()) }),
			Available:  c.gauge(func(s *Sample) float64 { return float64(s.Memory.Available) }),
			Slab:       c.gauge(func(s *Sample) float64 { return float64(s.Memory.Slab) }),
		}
	}
	sum.Pressure = c.pressure()
	sum.Disks = c.disks()
	if c.have("frequency", func(s *Sample) bool { return s.Frequency != nil }) {
		sum.Frequency = &FrequencySummary{
			Mean: c.gauge(func(s *Sample) float64 { return s.Frequency.Mean }).Mean,
			Min:  c.least(func(s *Sample) float64 { return s.Frequency.Min }),
			Max:  -c.least(func(s *Sample) float64 { return -s.Frequency.Max }),
		}
	}
	if c.have("throttles", func(s *Sample) bool { return s.Throttles != nil }) {
		if r, ok := c.rates("throttles",
			func(s *Sample) float64 { return float64(s.Throttles.Core) },
			func(s *Sample) float64 { return float64(s.Throttles.Package) }); ok {
			sum.Throttles = &ThrottleRates{Core: r[0], Package: r[1]}
		}
	}
	sum.Power = rateMap(c, "powerWatts", func(s *Sample) map[string]float64 { return s.Energy })
	if c.have("hardware", func(s *Sample) bool { return s.Hardware != nil }) {
		if r, ok := c.rates("hardware",
			func(s *Sample) float64 { return float64(s.Hardware.Cycles) },
			func(s *Sample) float64 { return float64(s.Hardware.Instructions) }); ok {
			sum.Hardware = &HardwareRates{Cycles: r[0], Instructions: r[1]}
		}
	}
}

// least is the smallest of the samples.
func (c *cover) least(v func(*Sample) float64) float64 {
	least := math.Inf(1)
	for i := range c.samples {
		least = min(least, v(&c.samples[i]))
	}
	return least
}

func (c *cover) pressure() map[string]Pressure {
	return summarizeEach(c, "pressure", func(s *Sample) map[string]Pressure { return s.Pressure },
		func(figure string, of func(*Sample) Pressure) (Pressure, bool) {
			some := c.counter(figure, func(s *Sample) float64 { return of(s).Some })
			if some == nil {
				return Pressure{}, false
			}
			p := Pressure{Some: *some}
			if c.have(figure+"/full", func(s *Sample) bool { return of(s).Full != nil }) {
				p.Full = c.counter(figure+"/full", func(s *Sample) float64 { return *of(s).Full })
			}
			return p, true
		})
}

func (c *cover) disks() map[string]DiskRates {
	return summarizeEach(c, "disks", func(s *Sample) map[string]Disk { return s.Disks },
		func(figure string, of func(*Sample) Disk) (DiskRates, bool) {
			r, ok := c.rates(figure,
				func(s *Sample) float64 { return float64(of(s).Reads) },
				func(s *Sample) float64 { return float64(of(s).ReadBytes) },
				func(s *Sample) float64 { return float64(of(s).Writes) },
				func(s *Sample) float64 { return float64(of(s).WrittenBytes) },
				func(s *Sample) float64 { return of(s).Busy })
			if !ok {
				return DiskRates{}, false
			}
			// The kernel rounds busy time up to its ticks.
			return DiskRates{Reads: r[0], ReadBytes: r[1], Writes: r[2], WrittenBytes: r[3], Busy: min(r[4], 1)}, true
		})
}
