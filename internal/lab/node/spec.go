package node

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
)

const (
	// Program is where cnibench-node lies inside a node.
	Program = "/opt/cnibench/cnibench-node"
	// RuncProgram is where cnibench-node lies inside a node under the name runc.
	// On a machine whose root lacks capabilities the container runtime calls it
	// in runc's place.
	RuncProgram = "/opt/cnibench/runc"
	// ServiceDir holds, inside a node, NAME.json for every service: its State.
	ServiceDir = "/run/cnibench"
	// LogDir holds, inside a node, NAME.log for every service.
	LogDir = "/var/log/cnibench"
)

// Interface is the name of a node's only network interface.
const Interface = "eth0"

// Lab is what the supervisor starts. Paths are the host's.
type Lab struct {
	Name string `json:"name"`
	MTU  int    `json:"mtu"`
	// Bridge is the addresses of the switch, one per family: the nodes' default
	// gateways.
	Bridge []netip.Prefix `json:"bridge"`
	Cgroup string         `json:"cgroup"`
	// API is where connections to the listener go that the supervisor inherits
	// from the host's network namespace.
	API   netip.AddrPort `json:"api"`
	Nodes []Node         `json:"nodes"`
	// Peer is another lab whose nodes those of this one reach; nil: nobody's.
	Peer *Peer `json:"peer,omitempty"`
}

// Peer is how two labs' switches are joined: by a link between the network
// namespaces that they are in, and a route at either end. The supervisor
// inherits the other's namespace as a descriptor.
type Peer struct {
	Here  LinkEnd `json:"here"`
	There LinkEnd `json:"there"`
}

// LinkEnd is one end of the link between two switches.
type LinkEnd struct {
	Name   string  `json:"name"`   // of the interface
	Routes []Route `json:"routes"` // one per family
}

// Route is what lies beyond a link.
type Route struct {
	To  netip.Prefix `json:"to"`
	Via netip.Addr   `json:"via"` // the other switch
}

// Node is one machine of the lab: a set of namespaces with services in it.
type Node struct {
	Name      string         `json:"name"`
	Addresses []netip.Prefix `json:"addresses"` // one per family
	Cgroup    string         `json:"cgroup"`
	// Root is the read-only root file system; Dir holds upper and work, which
	// overlay it, root, where it is mounted, and logs.
	Root     string            `json:"root"`
	Dir      string            `json:"dir"`
	Binds    []Bind            `json:"binds"`
	Sysctls  map[string]string `json:"sysctls"`
	Services []Service         `json:"services"`
}

// ExecGroup is where commands run that a user or a measurement starts in a
// node whose control group is given.
func ExecGroup(nodeGroup string) string { return nodeGroup + "/exec" }

// Bind shows a host path inside the node.
type Bind struct {
	Source   string `json:"source"`
	Target   string `json:"target"`
	ReadOnly bool   `json:"readOnly"`
}

// Service is a program that pid 1 keeps running.
type Service struct {
	Name   string   `json:"name"`
	Argv   []string `json:"argv"`
	Cgroup string   `json:"cgroup"`
	// After lists endpoints that must answer before the program is started:
	// unix:PATH and tcp:HOST:PORT by accepting a connection, readyz:HOST:PORT
	// by the readiness check of an API server.
	After []string `json:"after,omitempty"`
}

// State is what pid 1 knows of a service.
type State struct {
	PID    int    `json:"pid"` // 0 while it does not run
	Starts int    `json:"starts"`
	Last   string `json:"last,omitempty"` // how it ended the last time
}

// ReadLab reads the specification that the lab package wrote.
func ReadLab(file string) (Lab, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return Lab{}, fmt.Errorf("reading lab specification: %w", err)
	}
	var l Lab
	if err := json.Unmarshal(b, &l); err != nil {
		return Lab{}, fmt.Errorf("reading lab specification %s: %w", file, err)
	}
	return l, nil
}

func (l Lab) node(name string) (Node, error) {
	for _, n := range l.Nodes {
		if n.Name == name {
			return n, nil
		}
	}
	return Node{}, fmt.Errorf("lab %s has no node %s", l.Name, name)
}
