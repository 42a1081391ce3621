package kernel

import "net/netip"

// Can is the answer to whether a kernel can do something.
type Can string

// The answers. Unknown is not no: a trial without permission proves nothing.
const (
	Yes     Can = "yes"
	No      Can = "no"
	Unknown Can = "unknown"
)

// Answer says whether a feature works. Reason is empty only for a plain yes.
type Answer struct {
	Can    Can    `json:"can"`
	Reason string `json:"reason,omitempty"`
}

// Spec says what to look at. Its zero value asks for the release alone.
type Spec struct {
	Features  []string `json:"features"`  // to try, of [Features]
	Symbols   []string `json:"symbols"`   // options without CONFIG_
	Modules   []string `json:"modules"`   // names, - and _ alike
	Ports     []string `json:"ports"`     // "8472/udp", "179/tcp"
	Interface string   `json:"interface"` // the uplink; if empty, it is the one with Address
	Address   string   `json:"address"`   // of the node
}

// Report is what was found on one node.
type Report struct {
	Release  string            `json:"release"`  // as uname -r prints it
	BootID   string            `json:"bootID"`   // of the running kernel; equal on nodes that share it; empty: unknown
	Features map[string]Answer `json:"features"` // of those asked for
	Config   Config            `json:"config"`
	Modules  map[string]Module `json:"modules"` // of those asked for and those of [Features], with _ in names
	// Taken lists those of the ports asked for that a socket is bound to.
	Taken        []string `json:"taken"`
	PortsUnknown string   `json:"portsUnknown,omitempty"` // why Taken says nothing
	Uplink       Uplink   `json:"uplink"`
}

// Config is a kernel's configuration, cut to the symbols asked for and those of
// [Features].
type Config struct {
	Source  string            `json:"source"`            // file; empty: none was found
	Unknown string            `json:"unknown,omitempty"` // why there is none
	Values  map[string]string `json:"values"`            // "y", "m", "n" for not set, or another value
}

// Module is where a module is.
type Module string

// The places of a module. Elsewhere means that modules can be listed and it is
// not among them; ModuleUnknown, that nothing lists modules here.
const (
	BuiltIn       Module = "built in"
	Loaded        Module = "loaded"
	Available     Module = "available"
	Elsewhere     Module = "absent"
	ModuleUnknown Module = "unknown"
)

// Uplink is the interface to other nodes.
type Uplink struct {
	Name     string         `json:"name"`
	Driver   string         `json:"driver"` // empty: unknown
	MTU      int            `json:"mtu"`    // bytes
	Prefixes []netip.Prefix `json:"prefixes"`
	Unknown  string         `json:"unknown,omitempty"` // why there is none of it
}
