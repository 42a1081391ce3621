package tunnel

import (
	"fmt"
	"net/netip"
	"strconv"
)

// Ports of Konnectivity's programs on their own end; the agents' alone is
// reached from the other. They are not upstream's, so that a control plane's
// own Konnectivity on the same node is not in the way.
const (
	KonnectivityAgentPort = 18132 // the server's, for agents
	serverHealthPort      = 18133
	serverAdminPort       = 18134
	agentHealthPort       = 18135
	agentAdminPort        = 18136
)

// Konnectivity is a tunnel of Kubernetes' apiserver-network-proxy: a server
// beside the API server, which takes HTTP CONNECT on a UNIX socket, and an
// agent at the nodes, which dials the server by gRPC with mutual TLS.
type Konnectivity struct {
	Server string // the IP address that the server listens on for agents
	Dir    string // absolute; where both ends have their credentials, and the server its socket
}

// File is a file that a program reads.
type File struct {
	Path    string
	Content []byte
}

// Validate reports what makes k unusable.
func (k Konnectivity) Validate() error {
	if _, err := netip.ParseAddr(k.Server); err != nil {
		return fmt.Errorf("konnectivity cannot listen on %q: %w", k.Server, err)
	}
	if k.Dir == "" || k.Dir[0] != '/' {
		return fmt.Errorf("konnectivity cannot have its files in %q", k.Dir)
	}
	return nil
}

// Socket is where the server takes HTTP CONNECT.
func (k Konnectivity) Socket() string { return k.Dir + "/konnectivity.socket" }

// Files are an end's credentials, where its program looks for them.
func (k Konnectivity) Files(c Credentials) []File {
	return []File{{k.file("ca.crt"), c.Authority}, {k.file("end.crt"), c.Cert}, {k.file("end.key"), c.Key}}
}

func (k Konnectivity) file(name string) string { return k.Dir + "/konnectivity-" + name }

// quietly keeps both from writing two lines for every packet, which their
// default is and which would be a part of what they cost.
const quietly = "--v=1"

// ServerArgv is the server's command line, as upstream's image has it.
func (k Konnectivity) ServerArgv() []string {
	return []string{
		"/proxy-server", "--mode=http-connect", "--uds-name=" + k.Socket(), "--server-port=0",
		"--agent-bind-address=" + k.Server, "--agent-port=" + strconv.Itoa(KonnectivityAgentPort),
		"--health-bind-address=127.0.0.1", "--health-port=" + strconv.Itoa(serverHealthPort),
		"--admin-bind-address=127.0.0.1", "--admin-port=" + strconv.Itoa(serverAdminPort),
		"--cluster-ca-cert=" + k.file("ca.crt"), "--cluster-cert=" + k.file("end.crt"), "--cluster-key=" + k.file("end.key"),
		"--server-count=1", quietly,
	}
}

// AgentArgv is the agent's command line, as upstream's image has it.
func (k Konnectivity) AgentArgv() []string {
	return []string{
		"/proxy-agent", "--proxy-server-host=" + k.Server, "--proxy-server-port=" + strconv.Itoa(KonnectivityAgentPort),
		"--health-server-host=127.0.0.1", "--health-server-port=" + strconv.Itoa(agentHealthPort),
		"--admin-bind-address=127.0.0.1", "--admin-server-port=" + strconv.Itoa(agentAdminPort),
		"--ca-cert=" + k.file("ca.crt"), "--agent-cert=" + k.file("end.crt"), "--agent-key=" + k.file("end.key"),
		quietly,
	}
}
