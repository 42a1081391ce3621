package facts

// Frame is the kind of the frame that answers the command facts: a [Report].
const Frame = "facts"

// Spec says what to look at. The kernel is always looked at unless told
// otherwise.
type Spec struct {
	Interface string `json:"interface"` // the one to describe; if empty, it is the one with Address
	Address   string `json:"address"`   // an IP address of this network namespace
	// As is what that interface is called in the facts: "uplink" on nodes, "pod"
	// in pods.
	As string `json:"as"`
	// Peers are the indexes of the node's ends of pods' links, by what they are
	// called in the facts. Their own names are made up anew for every pod.
	Peers      map[string]int `json:"peers,omitempty"`
	SkipKernel bool           `json:"skipKernel,omitempty"` // in pods, whose node is asked
	SkipLinks  bool           `json:"skipLinks,omitempty"`  // and the network namespace's settings
}

// Report is what was found.
type Report struct {
	BootID string `json:"bootID,omitempty"` // of the running kernel, equal on nodes that share it; no fact
	Kernel Facts  `json:"kernel"`           // of the machine: equal on nodes that share a kernel
	Node   Facts  `json:"node"`             // of this network namespace
	// Links are the interfaces that packets may pass, for their MTUs.
	Links []Link `json:"links,omitempty"`
}

// Link is an interface. Index, Peer and Master are numbers of the kernel that
// only serve to connect links; 0: none.
type Link struct {
	Name   string `json:"name"`
	As     string `json:"as"`   // what it is called in the facts
	Kind   string `json:"kind"` // as netlink calls it: "device", "veth", "vxlan" …
	MTU    int    `json:"mtu"`  // bytes
	Index  int    `json:"index"`
	Peer   int    `json:"peer,omitempty"`
	Master int    `json:"master,omitempty"`
}
