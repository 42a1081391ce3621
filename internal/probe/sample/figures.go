package sample

import (
	"time"
)

// Summary is what a node did during a window. Rates are per second; CPU is in
// cores, that is CPU seconds per second. A figure that the kernel does not
// offer is absent; one that a fault spoilt is absent too, and Missing has the
// reason.
type Summary struct {
	Window Window `json:"window"`
	// Cores is how many logical CPUs the machine has online; where they came
	// or went, the fewest.
	Cores int `json:"cores"`
	// Busy is the sum of all modes but idle and iowait.
	Busy  float64 `json:"busyCores"`
	Modes Modes   `json:"modes"`
	// BusiestCore is the share, 0 to 1, that the busiest CPU was busy.
	BusiestCore     *float64                `json:"busiestCore,omitempty"`
	ContextSwitches *float64                `json:"contextSwitches,omitempty"`
	SoftIRQs        map[string]float64      `json:"softirqs,omitempty"`
	Tasks           *TaskSummary            `json:"tasks,omitempty"`
	Softnet         *SoftnetRates           `json:"softnet,omitempty"`
	Memory          *MemorySummary          `json:"memoryBytes,omitempty"`
	Sockets         *SocketSummary          `json:"sockets,omitempty"`
	Pressure        map[string]Pressure     `json:"pressure,omitempty"` // seconds per second
	Interfaces      map[string]TrafficRates `json:"interfaces,omitempty"`
	Disks           map[string]DiskRates    `json:"disks,omitempty"`
	Protocols       *ProtocolRates          `json:"protocols,omitempty"`
	Conntrack       *ConntrackSummary       `json:"conntrack,omitempty"`
	Frequency       *FrequencySummary       `json:"frequency,omitempty"`
	Throttles       *ThrottleRates          `json:"throttles,omitempty"`
	Power           map[string]float64      `json:"powerWatts,omitempty"` // of CPU packages, by name
	Hardware        *HardwareRates          `json:"hardware,omitempty"`
	Groups          map[string]GroupSummary `json:"groups,omitempty"`
	// Rest is the machine less all groups; absent without groups.
	Rest *RestSummary `json:"rest,omitempty"`
	// Probe is what sampling itself used, in cores; it is part of Busy.
	Probe *float64 `json:"probeCores,omitempty"`
	// Samples is how many samples lie in the window.
	Samples int `json:"samples"`
	// EdgeSlack is how far the nearest sample is from an edge of the window,
	// the farther one of the two: what was interpolated there. LargestGap is
	// the longest time between samples, ClockStep the most by which the wall
	// clock strayed from the monotonic one. They tell how far to trust the
	// rest.
	EdgeSlack  time.Duration `json:"edgeSlackNs"`
	LargestGap time.Duration `json:"largestGapNs"`
	ClockStep  time.Duration `json:"clockStepNs"`
	// Faults are those that touch the window.
	Faults []Fault `json:"faults,omitempty"`
	// Missing has the reason why a figure is not there, by its JSON name and,
	// of a map, /KEY: busiestCore, interfaces/eth0, protocols/tcp/InSegs.
	Missing map[string]string `json:"missing,omitempty"`
}

// Gauge summarizes a quantity that goes up and down.
type Gauge struct {
	Mean float64 `json:"mean"` // over time
	Max  float64 `json:"max"`  // of the samples in the window and the interpolated values at its edges
}

// TaskSummary is [Tasks] over a window; Forks are per second.
type TaskSummary struct {
	Running Gauge   `json:"running"`
	Blocked Gauge   `json:"blocked"`
	Forks   float64 `json:"forks"`
}

// MemorySummary is [Memory] over a window, in bytes.
type MemorySummary struct {
	Used       Gauge `json:"used"`       // total less available
	LessCaches Gauge `json:"lessCaches"` // as [Memory.LessCaches]
	Available  Gauge `json:"available"`
	Slab       Gauge `json:"slab"`
}

// SocketSummary is [Sockets] over a window.
type SocketSummary struct {
	TCP       Gauge `json:"tcp"` // both IP versions
	Orphans   Gauge `json:"tcpOrphans"`
	TimeWait  Gauge `json:"tcpTimeWait"`
	UDP       Gauge `json:"udp"` // both IP versions
	TCPMemory Gauge `json:"tcpMemoryBytes"`
	UDPMemory Gauge `json:"udpMemoryBytes"`
}

// GroupSummary is the usage of a group of cgroups. With an Error there are no
// figures.
type GroupSummary struct {
	Error      string  `json:"error,omitempty"`
	Cores      float64 `json:"cores"`
	User       float64 `json:"userCores"`
	System     float64 `json:"systemCores"`
	WorkingSet Gauge   `json:"workingSetBytes"`
	// Throttled is for how long CPU limits held it back, in seconds per
	// second, of all its cgroups together.
	Throttled *float64 `json:"throttled,omitempty"`
	Anon      *Gauge   `json:"anonBytes,omitempty"`
	File      *Gauge   `json:"fileBytes,omitempty"`
	Kernel    *Gauge   `json:"kernelBytes,omitempty"`
	Socket    *Gauge   `json:"socketBytes,omitempty"`
	// Missing are paths that did not exist during the whole window; the
	// figures leave them out.
	Missing []string `json:"missing,omitempty"`
}

// RestSummary is what a machine used outside of all groups.
type RestSummary struct {
	// Cores are busy cores less those of the groups: other programs, kernel
	// threads, steal, and interrupts where the kernel accounts them by
	// themselves.
	Cores float64 `json:"cores"`
	// Memory is the machine's less caches, see [Memory.LessCaches], less what
	// the programs of the groups allocated, in bytes: other programs, and the
	// kernel itself.
	Memory *Gauge `json:"memoryBytes,omitempty"`
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

// DiskRates is [Disk] per second. Busy is a share, 0 to 1.
type DiskRates struct {
	Reads        float64 `json:"reads"`
	ReadBytes    float64 `json:"readBytes"`
	Writes       float64 `json:"writes"`
	WrittenBytes float64 `json:"writtenBytes"`
	Busy         float64 `json:"busy"`
}

// ProtocolRates is [Protocols] per second.
type ProtocolRates struct {
	TCP    map[string]float64 `json:"tcp,omitempty"`
	TCPExt map[string]float64 `json:"tcpExt,omitempty"`
	UDP    map[string]float64 `json:"udp,omitempty"`
	UDP6   map[string]float64 `json:"udp6,omitempty"`
}

// ConntrackSummary is [Conntrack] over a window; Events are per second.
type ConntrackSummary struct {
	Entries Gauge              `json:"entries"`
	Limit   *uint64            `json:"limit,omitempty"`
	Events  map[string]float64 `json:"events,omitempty"`
}

// FrequencySummary is [Frequency] over a window, in hertz.
type FrequencySummary struct {
	Mean float64 `json:"meanHertz"` // over time and CPUs
	Min  float64 `json:"minHertz"`  // the slowest CPU in the slowest sample
	Max  float64 `json:"maxHertz"`  // the fastest CPU in the fastest sample
}

// ThrottleRates is [Throttles] per second.
type ThrottleRates struct {
	Core    float64 `json:"core"`
	Package float64 `json:"package"`
}

// HardwareRates is [Hardware] per second.
type HardwareRates struct {
	Cycles       float64 `json:"cycles"`
	Instructions float64 `json:"instructions"`
}
