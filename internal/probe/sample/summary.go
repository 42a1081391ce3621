package sample

import (
	"fmt"
	"slices"
	"time"
)

// Summary is what a node did during a window. Rates are per second of wall
// time; CPU is in cores, that is CPU seconds per second.
type Summary struct {
	Window Window `json:"window"`
	// Cores is how many logical CPUs the machine has online.
	Cores int `json:"cores"`
	// Busy is the sum of all modes but idle and iowait.
	Busy  float64 `json:"busyCores"`
	Modes Modes   `json:"modes"`
	// BusiestCore is the share, 0 to 1, that the busiest CPU was busy.
	BusiestCore     float64                 `json:"busiestCore"`
	ContextSwitches float64                 `json:"contextSwitches"`
	Softnet         *SoftnetRates           `json:"softnet,omitempty"`
	Memory          Gauge                   `json:"memoryBytes"` // total less available
	Pressure        *Pressure               `json:"pressure,omitempty"`
	Interfaces      map[string]TrafficRates `json:"interfaces,omitempty"`
	Protocols       *ProtocolRates          `json:"protocols,omitempty"`
	Groups          map[string]GroupSummary `json:"groups,omitempty"`
	// Probe is what sampling itself used, in cores; it is part of Busy.
	Probe float64 `json:"probeCores"`
	// LargestGap is the longest time between samples that was interpolated
	// over, ClockStep the most by which the wall clock strayed from the
	// monotonic one. Both tell how far to trust the rest.
	LargestGap time.Duration `json:"largestGapNs"`
	ClockStep  time.Duration `json:"clockStepNs"`
}

// Gauge summarizes a quantity that goes up and down.
type Gauge struct {
	Mean float64 `json:"mean"` // over time
	Max  float64 `json:"max"`  // of the samples in the window and the interpolated values at its edges
}

// GroupSummary is the usage of a group of cgroups. With an Error there are no
// figures.
type GroupSummary struct {
	Error      string  `json:"error,omitempty"`
	Cores      float64 `json:"cores"`
	User       float64 `json:"userCores"`
	System     float64 `json:"systemCores"`
	WorkingSet Gauge   `json:"workingSetBytes"`
	// Missing are paths that did not exist during the whole window; the
	// figures leave them out.
	Missing []string `json:"missing,omitempty"`
}

// SoftnetRates is [Softnet] per second.
type SoftnetRates struct {
	Processed float64 `json:"processed"`
	Dropped   float64 `json:"dropped"`
	Squeezed  float64 `json:"squeezed"`
}

// TrafficRates is [Traffic] per second, errors and drops in one.
type TrafficRates struct {
	RxBytes   float64 `json:"rxBytes"`
	RxPackets float64 `json:"rxPackets"`
	RxLost    float64 `json:"rxLost"`
	TxBytes   float64 `json:"txBytes"`
	TxPackets float64 `json:"txPackets"`
	TxLost    float64 `json:"txLost"`
}

// ProtocolRates is [Protocols] per second.
type ProtocolRates struct {
	TCP map[string]float64 `json:"tcp"`
	UDP map[string]float64 `json:"udp"`
}

// Summarize computes what the node of s did between start and end. Counters
// are interpolated linearly at the edges. It is an error when samples do not
// cover the window, when the clock was set back, when a CPU counter fell, or
// when a CPU came or went. A group that cannot be summarized carries its own
// error.
func Summarize(s Series, start, end time.Time) (Summary, error) {
	c, err := coverWindow(s, Window{Start: start, End: end})
	if err != nil {
		return Summary{}, err
	}
	sum := Summary{
		Window:          c.window,
		Cores:           len(c.samples[0].Cores),
		ContextSwitches: c.rate(func(s *Sample) float64 { return float64(s.ContextSwitches) }),
		Memory:          c.gauge(func(s *Sample) float64 { return float64(s.Memory.Used()) }),
		Probe:           c.rate(func(s *Sample) float64 { return s.Own }),
		LargestGap:      c.largestGap(),
		ClockStep:       c.clockStep(),
	}
	if sum.Modes, err = c.modes("machine", func(s *Sample) *Modes { return &s.CPU }); err != nil {
		return Summary{}, err
	}
	sum.Busy = sum.Modes.Busy()
	if sum.BusiestCore, err = c.busiestCore(); err != nil {
		return Summary{}, err
	}
	c.networkRates(&sum)
	sum.Groups = c.groups()
	return sum, nil
}

// modes returns the cores spent per mode. Idle and iowait may fall a little
// (proc_stat(5)); the busy modes may not.
func (c cover) modes(name string, of func(*Sample) *Modes) (Modes, error) {
	busy := func(s *Sample) float64 { return of(s).Busy() }
	if err := c.monotone("busy CPU time of "+name, busy); err != nil {
		return Modes{}, err
	}
	return Modes{
		User:    c.rate(func(s *Sample) float64 { return of(s).User }),
		Nice:    c.rate(func(s *Sample) float64 { return of(s).Nice }),
		System:  c.rate(func(s *Sample) float64 { return of(s).System }),
		IRQ:     c.rate(func(s *Sample) float64 { return of(s).IRQ }),
		SoftIRQ: c.rate(func(s *Sample) float64 { return of(s).SoftIRQ }),
		Steal:   c.rate(func(s *Sample) float64 { return of(s).Steal }),
		Idle:    c.rate(func(s *Sample) float64 { return of(s).Idle }),
		IOWait:  c.rate(func(s *Sample) float64 { return of(s).IOWait }),
	}, nil
}

func (c cover) busiestCore() (float64, error) {
	first := c.samples[0].Cores
	for _, s := range c.samples[1:] {
		same := func(a, b Core) bool { return a.ID == b.ID }
		if !slices.EqualFunc(first, s.Cores, same) {
			return 0, fmt.Errorf("a CPU went on or off line: %d CPUs, then others", len(first))
		}
	}
	busiest := 0.0
	for i, core := range first {
		name := fmt.Sprintf("CPU %d", core.ID)
		modes, err := c.modes(name, func(s *Sample) *Modes { return &s.Cores[i].Modes })
		if err != nil {
			return 0, err
		}
		busiest = max(busiest, modes.Busy())
	}
	return min(busiest, 1), nil // ticks are rounded
}
