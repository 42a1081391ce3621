package capture

import "encoding/binary"

// tunnel is a recognised encapsulation and what is inside.
type tunnel struct {
	name      string // empty: it is none
	encrypted bool
	kind      uint16 // Ethernet type of payload
	payload   []byte
}

// tunnelOf recognises a tunnel by protocol number or port and by its header,
// so that other traffic to the same port is not taken for one.
func tunnelOf(ip header) tunnel {
	switch ip.protocol {
	case protoIPIP:
		return tunnel{name: "ipip", kind: etherIPv4, payload: ip.payload}
	case protoIPv6:
		return tunnel{name: "ipip", kind: etherIPv6, payload: ip.payload}
	case protoGRE:
		return gre(ip.payload)
	case protoESP:
		return tunnel{name: "ipsec", encrypted: true}
	case protoUDP:
		const udpHeader = 8
		if len(ip.payload) >= udpHeader {
			return overUDP(binary.BigEndian.Uint16(ip.payload[2:]), ip.payload[udpHeader:])
		}
	}
	return tunnel{}
}

// overUDP knows the ports of IANA and those that plugins use instead: 8472 is
// Linux's and flannel's VXLAN, 51820 to 51822 WireGuard's, 51871 Cilium's
// WireGuard.
func overUDP(port uint16, b []byte) tunnel {
	switch port {
	case 4789, 8472:
		return vxlan(b)
	case 6081:
		return geneve(b)
	case 51820, 51821, 51822, 51871:
		return wireguard(b)
	case 4500:
		return espInUDP(b)
	}
	return tunnel{}
}

// vxlan reads a header of RFC 7348: the flag that the network identifier is
// valid, and Ethernet inside. The other flags are those of extensions.
func vxlan(b []byte) tunnel {
	if len(b) < 8 || b[0]&0x08 == 0 {
		return tunnel{}
	}
	return inEthernet("vxlan", b[8:])
}

// geneve reads a header of RFC 8926: version 0 and a length of options.
func geneve(b []byte) tunnel {
	if len(b) < 8 || b[0]>>6 != 0 {
		return tunnel{}
	}
	size := 8 + int(b[0]&0x3f)*4
	if len(b) < size {
		return tunnel{}
	}
	return inside("geneve", binary.BigEndian.Uint16(b[2:]), b[size:])
}

// gre reads a header of RFC 2784 and 2890: 4 bytes more for each of checksum,
// key and sequence number.
func gre(b []byte) tunnel {
	if len(b) < 4 || b[1]&0x07 != 0 { // version 0; 1 is PPTP's
		return tunnel{}
	}
	size := 4
	for _, flag := range []byte{0x80, 0x20, 0x10} {
		if b[0]&flag != 0 {
			size += 4
		}
	}
	if len(b) < size {
		return tunnel{}
	}
	return inside("gre", binary.BigEndian.Uint16(b[2:]), b[size:])
}

// wireguard reads the type of a message, 1 to 4, and three bytes that are
// zero (Donenfeld, WireGuard: Next Generation Kernel Network Tunnel, 5.4).
func wireguard(b []byte) tunnel {
	if len(b) < 32 || b[0] < 1 || b[0] > 4 || b[1]|b[2]|b[3] != 0 {
		return tunnel{}
	}
	return tunnel{name: "wireguard", encrypted: true}
}

// espInUDP tells ESP from IKE, which begins with four zeros, and from a
// keepalive of one byte (RFC 3948).
func espInUDP(b []byte) tunnel {
	if len(b) < 8 || binary.BigEndian.Uint32(b) == 0 {
		return tunnel{}
	}
	return tunnel{name: "ipsec", encrypted: true}
}

func inside(name string, kind uint16, payload []byte) tunnel {
	if kind == etherTEB {
		return inEthernet(name, payload)
	}
	return tunnel{name: name, kind: kind, payload: payload}
}

func inEthernet(name string, frame []byte) tunnel {
	kind, payload, ok := ethernet(frame)
	if !ok {
		return tunnel{}
	}
	return tunnel{name: name, kind: kind, payload: payload}
}
