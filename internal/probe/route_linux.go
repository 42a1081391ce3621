package probe

import (
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// routeMTU returns what the kernel thinks fits on the path to addr, as `ip
// route get` shows it, and the interface that it uses. It is read from a
// connected socket (ip(7), IP_MTU): that needs no privilege and no program.
func routeMTU(ctx context.Context, addr *net.UDPAddr) (mtu int, device Interface, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", addr.String())
	if err != nil {
		return 0, Interface{}, fmt.Errorf("looking up the route to %s: %w", addr.IP, err)
	}
	defer func() { _ = conn.Close() }() // nothing is buffered in it
	udp, ok := conn.(*net.UDPConn)
	if !ok {
		return 0, Interface{}, fmt.Errorf("looking up the route to %s: got a %T", addr.IP, conn)
	}
	raw, err := udp.SyscallConn()
	if err != nil {
		return 0, Interface{}, fmt.Errorf("looking up the route to %s: %w", addr.IP, err)
	}
	level, option := unix.IPPROTO_IP, unix.IP_MTU
	if addr.IP.To4() == nil {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_MTU
	}
	var failed error
	err = raw.Control(func(fd uintptr) { mtu, failed = unix.GetsockoptInt(int(fd), level, option) })
	if err = errors.Join(err, failed); err != nil {
		return 0, Interface{}, fmt.Errorf("reading the MTU of the route to %s: %w", addr.IP, err)
	}
	local, _ := conn.LocalAddr().(*net.UDPAddr)
	return mtu, interfaceOf(local), nil
}

// interfaceOf finds the interface that has an address; nothing if none has.
func interfaceOf(local *net.UDPAddr) Interface {
	for _, i := range readNetns().Interfaces {
		for _, a := range i.Addresses {
			ip, _, err := net.ParseCIDR(a)
			if err == nil && local != nil && ip.Equal(local.IP) {
				return i
			}
		}
	}
	return Interface{}
}
