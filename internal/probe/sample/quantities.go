package sample

// Modes is CPU time in seconds by mode, as in /proc/stat (proc_stat(5)). The
// kernel includes guest in User and guest_nice in Nice.
type Modes struct {
	User    float64 `json:"user"`
	Nice    float64 `json:"nice"`
	System  float64 `json:"system"`
	IRQ     float64 `json:"irq"`
	SoftIRQ float64 `json:"softirq"`
	Steal   float64 `json:"steal"`
	Idle    float64 `json:"idle"`
	IOWait  float64 `json:"iowait"`
}

// Busy is the sum of all modes but Idle and IOWait.
func (m Modes) Busy() float64 {
	return m.User + m.Nice + m.System + m.IRQ + m.SoftIRQ + m.Steal
}

// Core is the CPU time of one logical CPU; ID is its number in the kernel.
type Core struct {
	ID int `json:"id"`
	Modes
}

// Tasks is what the scheduler has to do. Forks counts up.
type Tasks struct {
	Running uint64 `json:"running"` // runnable or running
	Blocked uint64 `json:"blocked"` // waiting for input or output
	Forks   uint64 `json:"forks"`
}

// Softnet counts what the network softirq did on all CPUs: packets processed,
// packets dropped because the backlog was full, and runs cut off with work
// left.
type Softnet struct {
	Processed uint64 `json:"processed"`
	Dropped   uint64 `json:"dropped"`
	Squeezed  uint64 `json:"squeezed"`
}

// Memory holds fields of /proc/meminfo in bytes.
type Memory struct {
	Total     uint64 `json:"total"`
	Free      uint64 `json:"free"`
	Available uint64 `json:"available"`
	Buffers   uint64 `json:"buffers"`
	Cached    uint64 `json:"cached"`
	Slab      uint64 `json:"slab"`
	// Reclaimable is the part of Slab that the kernel can give back.
	Reclaimable uint64 `json:"reclaimable"`
	Shmem       uint64 `json:"shmem"`
}

// Used is what is not available to programs.
func (m Memory) Used() uint64 { return m.Total - min(m.Available, m.Total) }

// LessCaches is total less free, buffers, page cache and reclaimable slab:
// what published benchmarks call used, by the statexec that sampled them
// (gopsutil 3.21.11, VirtualMemory). Unlike in [Memory.Used], shared memory is
// not used here.
func (m Memory) LessCaches() uint64 {
	return m.Total - min(m.Free+m.Buffers+m.Cached+m.Reclaimable, m.Total)
}

// Sockets counts the sockets of the network namespace, and memory in them in
// bytes, which is the machine's.
type Sockets struct {
	Used      uint64  `json:"used"`                     // of all kinds
	TCP       uint64  `json:"tcp"`                      // over IPv4
	TCP6      *uint64 `json:"tcp6,omitempty"`           // over IPv6
	Orphans   uint64  `json:"tcpOrphans"`               // without a process
	TimeWait  uint64  `json:"tcpTimeWait"`              // connections that wait for late packets
	UDP       uint64  `json:"udp"`                      // over IPv4
	UDP6      *uint64 `json:"udp6,omitempty"`           // over IPv6
	TCPMemory uint64  `json:"tcpMemoryBytes"`           // in pages of the kernel
	UDPMemory uint64  `json:"udpMemoryBytes"`           // in pages of the kernel
	Fragments *uint64 `json:"fragmentsBytes,omitempty"` // of datagrams to put together
}

// Pressure is pressure stall information: seconds in which some or all tasks
// waited for a resource.
type Pressure struct {
	Some float64  `json:"someSeconds"`
	Full *float64 `json:"fullSeconds,omitempty"` // of cpu not before Linux 5.13
}

// Traffic counts what passed a network interface.
type Traffic struct {
	RxBytes   uint64 `json:"rxBytes"`
	RxPackets uint64 `json:"rxPackets"`
	RxErrors  uint64 `json:"rxErrors"`
	RxDropped uint64 `json:"rxDropped"`
	TxBytes   uint64 `json:"txBytes"`
	TxPackets uint64 `json:"txPackets"`
	TxErrors  uint64 `json:"txErrors"`
	TxDropped uint64 `json:"txDropped"`
}

// Disk counts what a block device did.
type Disk struct {
	Reads        uint64 `json:"reads"`
	ReadBytes    uint64 `json:"readBytes"`
	Writes       uint64 `json:"writes"`
	WrittenBytes uint64 `json:"writtenBytes"`
	// Busy is the time in seconds with something to do.
	Busy float64 `json:"busySeconds"`
}

// Protocols holds counters by the names that the kernel has for them: TCP and
// UDP of /proc/net/snmp, TCPExt of /proc/net/netstat, UDP6 of /proc/net/snmp6
// without their prefix. TCP has both IP versions, UDP only IPv4.
type Protocols struct {
	TCP    map[string]uint64 `json:"tcp,omitempty"`
	TCPExt map[string]uint64 `json:"tcpExt,omitempty"`
	UDP    map[string]uint64 `json:"udp,omitempty"`
	UDP6   map[string]uint64 `json:"udp6,omitempty"`
}

// Conntrack is the state of connection tracking in the network namespace.
type Conntrack struct {
	Entries uint64  `json:"entries"`
	Limit   *uint64 `json:"limit,omitempty"` // of entries; only the first namespace has one
	// Events counts by the names of /proc/net/stat/nf_conntrack: drop,
	// early_drop, insert_failed, invalid, …
	Events map[string]uint64 `json:"events,omitempty"`
}

// Frequency is how fast the CPUs run, in hertz.
type Frequency struct {
	Mean float64 `json:"meanHertz"`
	Min  float64 `json:"minHertz"`
	Max  float64 `json:"maxHertz"`
}

// Throttles counts how often heat slowed down cores and packages.
type Throttles struct {
	Core    uint64 `json:"core"`
	Package uint64 `json:"package"`
}

// Hardware counts what all CPUs together did.
type Hardware struct {
	Cycles       uint64 `json:"cycles"` // not halted
	Instructions uint64 `json:"instructions"`
}
