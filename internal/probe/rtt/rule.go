package rtt

import (
	"fmt"
	"net/netip"
)

// rule is a flow as the programs compare it: addresses of IPv4 are mapped into
// IPv6, both in network order, ports in that of the host.
type rule struct {
	here, there endRule
	label       uint32
}

type endRule struct {
	network, mask       [16]byte
	firstPort, lastPort uint16
}

// rule compiles a flow. Its label becomes a number.
func (f Flow) rule(label uint32) (rule, error) {
	here, err := f.Here.rule()
	if err != nil {
		return rule{}, err
	}
	there, err := f.There.rule()
	return rule{here, there, label}, err
}

func (e End) rule() (endRule, error) {
	r := endRule{lastPort: 65535}
	if e.FirstPort != 0 || e.LastPort != 0 {
		last := e.LastPort
		if last == 0 {
			last = e.FirstPort
		}
		if e.FirstPort < 0 || last < e.FirstPort || last > 65535 {
			return r, fmt.Errorf("ports %d to %d are no range", e.FirstPort, e.LastPort)
		}
		r.firstPort, r.lastPort = uint16(e.FirstPort), uint16(last)
	}
	if e.Addresses == "" {
		return r, nil
	}
	prefix, err := netip.ParsePrefix(e.Addresses)
	if err != nil {
		address, wrong := netip.ParseAddr(e.Addresses)
		if wrong != nil || address.Zone() != "" {
			return r, fmt.Errorf("%q is no address or network", e.Addresses)
		}
		prefix = netip.PrefixFrom(address, address.BitLen())
	}
	ones := prefix.Bits()
	if prefix.Addr().Is4() {
		ones += 96
	}
	for i := range ones {
		r.mask[i/8] |= 0x80 >> (i % 8)
	}
	r.network = prefix.Masked().Addr().As16()
	return r, nil
}
