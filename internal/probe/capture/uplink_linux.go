package capture

import (
	"fmt"
	"net"
	"net/netip"
)

// uplink is the interface that connects a node with the others.
type uplink struct {
	name   string
	index  int
	prefix netip.Prefix // the node's address in its subnet
}

// findUplink looks for the interface with the node's address. Its name is
// anybody's choice.
func findUplink(address netip.Addr) (uplink, error) {
	devices, err := net.Interfaces()
	if err != nil {
		return uplink{}, fmt.Errorf("listing interfaces: %w", err)
	}
	for _, d := range devices {
		addresses, err := d.Addrs()
		if err != nil {
			return uplink{}, fmt.Errorf("listing the addresses of %s: %w", d.Name, err)
		}
		for _, a := range addresses {
			prefix, err := netip.ParsePrefix(a.String())
			if err == nil && prefix.Addr() == address.Unmap() {
				return uplink{d.Name, d.Index, prefix}, nil
			}
		}
	}
	return uplink{}, fmt.Errorf("no interface has the node's address %s", address)
}
