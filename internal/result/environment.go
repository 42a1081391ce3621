package result

import "time"

// Environment records everything that may explain a result and is no result
// itself. It is written once, when a campaign starts, and completed per
// variant as clusters come up.
type Environment struct {
	Schema   string    `json:"schema"`
	Created  time.Time `json:"created"`
	Cnibench string    `json:"cnibench"` // version of the program
	// Topology is "lab", where nodes share one kernel and CPU is the
	// machine's, "cluster", or "imported" where another program measured.
	Topology string             `json:"topology"`
	Machine  Machine            `json:"machine"`
	Variants map[string]Variant `json:"variants"`
	// Import is what was read where another program measured.
	Import *Import `json:"import,omitempty"`
}

// Import says where imported results come from. Created is then when they were
// imported, and Machine is empty: nobody knows the machine.
type Import struct {
	Format string `json:"format"`
	Source string `json:"source"` // the path as it was given
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	// Digest is "sha256:" and the digest, in hexadecimal, of a line for each
	// file in the order of their paths: its own digest, two blanks, its path
	// below the source, as sha256sum prints them.
	Digest string `json:"digest"`
	// Warnings are what is known of the source and holds for all of it.
	Warnings []Warning `json:"warnings,omitempty"`
}

// Machine describes the computer that runs the lab or, for an existing
// cluster, the computer that runs cnibench.
type Machine struct {
	Kernel        string            `json:"kernel"`
	OS            string            `json:"os"`
	CPU           string            `json:"cpu"`
	Cores         int               `json:"cores"`
	MemoryBytes   uint64            `json:"memoryBytes"`
	CgroupVersion int               `json:"cgroupVersion"`
	IRQTime       string            `json:"irqTimeAccounting"` // "exact", "tick" or "unknown"
	Sysctls       map[string]string `json:"sysctls"`
}

// Variant records how one variant really ran.
type Variant struct {
	Name string `json:"name"`
	// Plugin is what was installed or found, as its project writes it, such as
	// Cilium, in the given version, which is empty where nothing was.
	Plugin  string `json:"plugin,omitempty"`
	Version string `json:"version,omitempty"`
	// Verified says how the catalog knows that its entry works in this
	// version: "installed", "rendered" or, if nobody has tried, "".
	Verified   string            `json:"verified,omitempty"`
	Versions   map[string]string `json:"versions"` // of Kubernetes, the CNI, iperf3 …
	Digests    map[string]string `json:"digests"`  // of manifests and images
	Nodes      []Node            `json:"nodes"`
	Facts      map[string]string `json:"facts"` // what the datapath proof found: pod MTU, path MTU …
	KubeProxy  string            `json:"kubeProxy"`
	PodSysctls map[string]string `json:"podSysctls"`
	// LoadNodes are the client's and the server's; one if both are on it.
	LoadNodes []string `json:"loadNodes,omitempty"`
	// Kernels describe the machines, Ends the load pods, "client" and "server",
	// and Path what packets pass between them, in order. Results of cnibench
	// before these were recorded have none.
	Kernels []Kernel         `json:"kernels,omitempty"`
	Ends    map[string]Facts `json:"ends,omitempty"`
	Path    []Hop            `json:"path,omitempty"`
}

// Node describes one node of the cluster under test.
type Node struct {
	Name    string            `json:"name"`
	Address string            `json:"address"`
	Kernel  string            `json:"kernel"`
	MTU     int               `json:"mtu"`
	Sysctls map[string]string `json:"sysctls"`
	Facts   Facts             `json:"facts,omitzero"` // of its own, besides its kernel's
}
