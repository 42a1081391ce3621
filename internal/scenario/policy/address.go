package policy

import (
	"fmt"
	"net/netip"
)

// hostNet is the network that holds one address only.
func hostNet(address string) (string, error) {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return "", fmt.Errorf("making a CIDR of a pod's address: %w", err)
	}
	return netip.PrefixFrom(ip, ip.BitLen()).String(), nil
}

// everywhere is the network that holds all addresses of an address's family.
func everywhere(address string) (string, error) {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return "", fmt.Errorf("making a CIDR of a pod's address: %w", err)
	}
	if ip.Is4() {
		return "0.0.0.0/0", nil
	}
	return "::/0", nil
}
