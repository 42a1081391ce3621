package tunnel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func overUDP() OpenVPN {
	return OpenVPN{Server: "10.244.0.7", Port: 11940, Protocol: OverUDP, Cipher: "AES-256-GCM", PacketBytes: 1450}
}

// The server belongs to the control plane, the client dials it.
func TestOpenVPNConfigs(t *testing.T) {
	udp, tcp := overUDP(), overUDP()
	tcp.Protocol, tcp.Server = OverTCP, "fd00::7"
	for _, tt := range []struct {
		config string
		want   []string
		never  []string
	}{
		{udp.ServerConfig(), []string{"proto udp4", "local 10.244.0.7", "port 11940", "server 198.19.255.0 255.255.255.0", "data-ciphers AES-256-GCM", "mssfix 1450 mtu", "remote-cert-tls client"}, []string{"client"}},
		{udp.ClientConfig(), []string{"client", "proto udp4", "remote 10.244.0.7 11940", "nobind", "mssfix 1450 mtu", "remote-cert-tls server"}, []string{"tls-server"}},
		{tcp.ServerConfig(), []string{"proto tcp6-server", "local fd00::7"}, []string{"mssfix 1450 mtu"}},
		{tcp.ClientConfig(), []string{"proto tcp6-client", "remote fd00::7 11940"}, []string{"mssfix 1450 mtu"}},
	} {
		lines := "\n" + tt.config
		for _, want := range tt.want {
			if !strings.Contains(lines, "\n"+want+"\n") {
				t.Errorf("no line %q in\n%s", want, tt.config)
			}
		}
		for _, never := range tt.never {
			if strings.Contains(lines, "\n"+never+"\n") {
				t.Errorf("a line %q in\n%s", never, tt.config)
			}
		}
	}
}

func TestOpenVPNCredentials(t *testing.T) {
	got := WithCredentials("dev x\n", Credentials{Authority: []byte("A\n"), Cert: []byte("C\n"), Key: []byte("K\n")})
	if diff := cmp.Diff("dev x\n<ca>\nA\n</ca>\n<cert>\nC\n</cert>\n<key>\nK\n</key>\n", got); diff != "" {
		t.Error(diff)
	}
}

func TestOpenVPNValidate(t *testing.T) {
	if err := overUDP().Validate(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*OpenVPN){
		"a name":      func(o *OpenVPN) { o.Server = "server\nscript-security 2" },
		"no port":     func(o *OpenVPN) { o.Port = 0 },
		"no protocol": func(o *OpenVPN) { o.Protocol = "sctp" },
		"a cipher":    func(o *OpenVPN) { o.Cipher = "none" },
		"no packets":  func(o *OpenVPN) { o.PacketBytes = 0 },
	} {
		o := overUDP()
		spoil(&o)
		if o.Validate() == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

const openVPNSays = `OpenVPN 2.6.14 x86_64-pc-linux-gnu [SSL (OpenSSL)] [LZO] [LZ4] [EPOLL] [PKCS11] [MH/PKTINFO] [AEAD] [DCO]
library versions: OpenSSL 3.0.17 1 Jul 2025, LZO 2.10
node/10.244.0.8:47611 Data Channel: cipher 'AES-128-GCM', peer-id: 0
node/10.244.0.8:47611 Data Channel: cipher 'AES-256-GCM', peer-id: 1
`

func TestParseOpenVPN(t *testing.T) {
	for log, want := range map[string]OpenVPNLog{
		openVPNSays: {Version: "2.6.14", Cipher: "AES-256-GCM"},
		"ERROR: Cannot open TUN/TAP dev /dev/net/tun: No such file or directory (errno=2)\nExiting due to fatal error\n": {
			NoDevice: "ERROR: Cannot open TUN/TAP dev /dev/net/tun: No such file or directory (errno=2)"},
		"ERROR: Cannot ioctl TUNSETIFF cnibench-tun: Operation not permitted (errno=1)": {
			NoDevice: "ERROR: Cannot ioctl TUNSETIFF cnibench-tun: Operation not permitted (errno=1)"},
		"": {},
	} {
		if diff := cmp.Diff(want, ParseOpenVPN(log)); diff != "" {
			t.Errorf("%q:\n%s", log, diff)
		}
	}
}

func FuzzParseOpenVPN(f *testing.F) {
	f.Add(openVPNSays)
	f.Fuzz(func(t *testing.T, log string) {
		l := ParseOpenVPN(log)
		for _, said := range []string{l.Version, l.Cipher, l.NoDevice} {
			if !strings.Contains(log, said) || strings.Contains(said, "\n") {
				t.Errorf("%q is not a piece of a line of %q", said, log)
			}
		}
	})
}
