package tunnel

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Addresses of the two ends inside OpenVPN's tunnel, of the range that RFC 2544
// keeps for benchmarks: nobody's pods or nodes have them.
const (
	OpenVPNServerAddress = "198.19.255.1"
	OpenVPNClientAddress = "198.19.255.2" // the first of the server's pool
	openVPNNetwork       = "198.19.255.0 255.255.255.0"
)

// OpenVPNDevice is the network device at either end. It is gone when the
// program is.
const OpenVPNDevice = "cnibench-tun"

// How OpenVPN's packets travel.
const (
	OverUDP = "udp"
	OverTCP = "tcp"
)

// OpenVPNCiphers are those of the data channel that may be asked for, the
// default first.
func OpenVPNCiphers() []string {
	return []string{"AES-256-GCM", "AES-128-GCM", "CHACHA20-POLY1305"}
}

// OpenVPN is a tunnel between a server, which the control plane has, and one
// client, which is at the nodes and dials: TLS with certificates of both, in
// user space.
type OpenVPN struct {
	Server   string // the IP address that the server listens on
	Port     int
	Protocol string // OverUDP or OverTCP
	Cipher   string // one of OpenVPNCiphers
	// PacketBytes is the largest IP packet that travels between the ends whole:
	// TCP in the tunnel is told to stay below.
	PacketBytes int
}

// Validate reports what makes o unusable.
func (o OpenVPN) Validate() error {
	if _, err := netip.ParseAddr(o.Server); err != nil {
		return fmt.Errorf("openvpn cannot listen on %q: %w", o.Server, err)
	}
	if o.Port < 1 || o.Port > 65535 {
		return fmt.Errorf("openvpn cannot use port %d", o.Port)
	}
	if o.Protocol != OverUDP && o.Protocol != OverTCP {
		return fmt.Errorf("openvpn does not travel over %q", o.Protocol)
	}
	if !slices.Contains(OpenVPNCiphers(), o.Cipher) {
		return fmt.Errorf("openvpn is not asked for the cipher %q", o.Cipher)
	}
	if o.PacketBytes < 576 || o.PacketBytes > 65535 {
		return fmt.Errorf("openvpn cannot keep packets below %d bytes", o.PacketBytes)
	}
	return nil
}

// ServerConfig is the server's configuration without its credentials.
func (o OpenVPN) ServerConfig() string {
	return o.config(
		"mode server", "tls-server", "dh none", "remote-cert-tls client",
		"topology subnet", "server "+openVPNNetwork,
		"proto "+o.family("-server"),
		"local "+o.Server, fmt.Sprintf("port %d", o.Port), "keepalive 5 30",
	)
}

// ClientConfig is the client's configuration without its credentials.
func (o OpenVPN) ClientConfig() string {
	return o.config(
		"client", "remote-cert-tls server",
		"proto "+o.family("-client"),
		fmt.Sprintf("remote %s %d", o.Server, o.Port), "nobind", "connect-retry 1 1",
	)
}

// family names the protocol as openvpn(8) does: by the IP version, and for TCP
// by the end.
func (o OpenVPN) family(end string) string {
	version := "4"
	if a, err := netip.ParseAddr(o.Server); err == nil && a.Is6() {
		version = "6"
	}
	name := o.Protocol + version
	if o.Protocol == OverTCP {
		name += end
	}
	return name
}

// config adds what both ends have. The kernel's own OpenVPN is left out: not
// every kernel has it, and the same measurement would be of two programs.
func (o OpenVPN) config(lines ...string) string {
	lines = append(lines,
		"dev "+OpenVPNDevice, "dev-type tun", "data-ciphers "+o.Cipher, "disable-dco",
		"verb 3", "suppress-timestamps",
	)
	if o.Protocol == OverUDP {
		lines = append(lines, fmt.Sprintf("mssfix %d mtu", o.PacketBytes))
	}
	return strings.Join(lines, "\n") + "\n"
}

// WithCredentials appends credentials to a configuration, in line.
func WithCredentials(config string, c Credentials) string {
	for _, part := range []struct {
		name string
		pem  []byte
	}{{"ca", c.Authority}, {"cert", c.Cert}, {"key", c.Key}} {
		config += "<" + part.name + ">\n" + strings.TrimSpace(string(part.pem)) + "\n</" + part.name + ">\n"
	}
	return config
}

// OpenVPNArgv is the command line that reads its configuration from stdin.
func OpenVPNArgv() []string { return []string{"openvpn", "--config", "stdin"} }

// OpenVPNLog is what a program of OpenVPN said of itself; empty for what it
// did not say.
type OpenVPNLog struct {
	Version  string // "2.6.14"
	Cipher   string // of the data channel
	NoDevice string // the line that says why there is no device
}

var (
	openVPNVersion  = regexp.MustCompile(`(?m)^OpenVPN (\S+) `)
	openVPNCipher   = regexp.MustCompile(`Data Channel: [cC]ipher '([^'\n]+)'`)
	openVPNNoDevice = regexp.MustCompile(`(?m)^.*\bCannot (?:open TUN/TAP dev|ioctl TUNSETIFF|allocate tun/tap dev).*$`)
)

// ParseOpenVPN reads a log. A tunnel that was made again has the last cipher.
func ParseOpenVPN(log string) OpenVPNLog {
	var l OpenVPNLog
	if m := openVPNVersion.FindStringSubmatch(log); m != nil {
		l.Version = m[1]
	}
	if all := openVPNCipher.FindAllStringSubmatch(log, -1); len(all) > 0 {
		l.Cipher = all[len(all)-1][1]
	}
	l.NoDevice = strings.TrimSpace(openVPNNoDevice.FindString(log))
	return l
}
