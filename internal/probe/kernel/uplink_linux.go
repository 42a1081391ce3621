package kernel

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// examineUplink finds the interface that the specification names, or the one
// that has the node's address.
func examineUplink(spec Spec) Uplink {
	if spec.Interface == "" && spec.Address == "" {
		return Uplink{Unknown: "nobody said which interface leads to other nodes"}
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return Uplink{Unknown: err.Error()}
	}
	for _, i := range interfaces {
		prefixes, has := prefixesOf(i, spec.Address)
		if i.Name == spec.Interface || spec.Interface == "" && has {
			return Uplink{Name: i.Name, MTU: i.MTU, Prefixes: prefixes, Driver: driverOf(i.Name)}
		}
	}
	if spec.Interface != "" {
		return Uplink{Unknown: "there is no interface " + spec.Interface}
	}
	return Uplink{Unknown: fmt.Sprintf("no interface has the address %s", spec.Address)}
}

func prefixesOf(i net.Interface, address string) (prefixes []netip.Prefix, has bool) {
	addresses, _ := i.Addrs() // an interface that is going has none
	for _, a := range addresses {
		p, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue // not of IP
		}
		prefixes = append(prefixes, p)
		has = has || p.Addr().String() == address
	}
	return prefixes, has
}

// driverOf asks as ethtool -i does; sysfs knows it of some that do not answer.
// It is empty if neither tells.
func driverOf(name string) string {
	if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err == nil {
		defer func() { _ = unix.Close(fd) }() // nothing was buffered
		if info, err := unix.IoctlGetEthtoolDrvinfo(fd, name); err == nil {
			return unix.ByteSliceToString(info.Driver[:])
		}
	}
	link, err := os.Readlink("/sys/class/net/" + name + "/device/driver")
	if err != nil {
		return ""
	}
	return filepath.Base(link)
}
