package sample

// networkRates fills in what is there in all samples of the window and counts
// up throughout. An interface that came, went or was reset is left out.
func (c cover) networkRates(sum *Summary) {
	if c.all(func(s *Sample) bool { return s.Softnet != nil }) {
		sum.Softnet = &SoftnetRates{
			Processed: c.rate(func(s *Sample) float64 { return float64(s.Softnet.Processed) }),
			Dropped:   c.rate(func(s *Sample) float64 { return float64(s.Softnet.Dropped) }),
			Squeezed:  c.rate(func(s *Sample) float64 { return float64(s.Softnet.Squeezed) }),
		}
	}
	if c.all(func(s *Sample) bool { return s.Pressure != nil }) {
		sum.Pressure = &Pressure{Some: c.rate(func(s *Sample) float64 { return s.Pressure.Some })}
		if c.all(func(s *Sample) bool { return s.Pressure.Full != nil }) {
			full := c.rate(func(s *Sample) float64 { return *s.Pressure.Full })
			sum.Pressure.Full = &full
		}
	}
	if c.all(func(s *Sample) bool { return s.Protocols != nil }) {
		sum.Protocols = &ProtocolRates{
			TCP: c.counterRates(func(s *Sample) map[string]uint64 { return s.Protocols.TCP }),
			UDP: c.counterRates(func(s *Sample) map[string]uint64 { return s.Protocols.UDP }),
		}
	}
	for name := range c.samples[0].Interfaces {
		if rates, ok := c.trafficRates(name); ok {
			if sum.Interfaces == nil {
				sum.Interfaces = map[string]TrafficRates{}
			}
			sum.Interfaces[name] = rates
		}
	}
}

func (c cover) all(ok func(*Sample) bool) bool {
	for i := range c.samples {
		if !ok(&c.samples[i]) {
			return false
		}
	}
	return true
}

func (c cover) counterRates(of func(*Sample) map[string]uint64) map[string]float64 {
	rates := map[string]float64{}
	for name := range of(&c.samples[0]) {
		if c.all(func(s *Sample) bool { _, ok := of(s)[name]; return ok }) {
			rates[name] = c.rate(func(s *Sample) float64 { return float64(of(s)[name]) })
		}
	}
	return rates
}

func (c cover) trafficRates(name string) (TrafficRates, bool) {
	if !c.all(func(s *Sample) bool { _, ok := s.Interfaces[name]; return ok }) {
		return TrafficRates{}, false
	}
	rate := func(v func(Traffic) uint64) float64 {
		return c.rate(func(s *Sample) float64 { return float64(v(s.Interfaces[name])) })
	}
	packets := func(s *Sample) float64 {
		t := s.Interfaces[name]
		return float64(t.RxPackets + t.TxPackets)
	}
	return TrafficRates{
		RxBytes:   rate(func(t Traffic) uint64 { return t.RxBytes }),
		RxPackets: rate(func(t Traffic) uint64 { return t.RxPackets }),
		RxLost:    rate(func(t Traffic) uint64 { return t.RxErrors + t.RxDropped }),
		TxBytes:   rate(func(t Traffic) uint64 { return t.TxBytes }),
		TxPackets: rate(func(t Traffic) uint64 { return t.TxPackets }),
		TxLost:    rate(func(t Traffic) uint64 { return t.TxErrors + t.TxDropped }),
	}, c.monotone(name, packets) == nil
}
