package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// skDrops is the index of the datagrams that a socket had no room for in what
// SO_MEMINFO returns (SK_MEMINFO_DROPS in linux/sock_diag.h).
const (
	skDrops   = 8
	skMemInfo = 9 // values in all
)

func resolve(ctx context.Context, host string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap(), nil
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("resolving %s: %w", host, err)
	}
	return found[0].Unmap(), nil // the resolver never succeeds with none
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
}

// connect makes a UDP socket with the don't-fragment bit that sends to one
// address only.
func connect(to netip.AddrPort, buffer int) (int, error) {
	family, level, option, mode := unix.AF_INET, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO
	if to.Addr().Is6() {
		family, level, option, mode = unix.AF_INET6, unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_DO
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("opening a UDP socket: %w", err)
	}
	err = unix.SetsockoptInt(fd, level, option, mode)
	if err == nil {
		err = enlarge(fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, buffer)
	}
	if err == nil {
		err = unix.Connect(fd, sockaddr(to))
	}
	if err != nil {
		return -1, errors.Join(fmt.Errorf("preparing to send to %s: %w", to, err), unix.Close(fd))
	}
	return fd, nil
}

// listen makes a UDP socket on a port of every address, IPv4 and IPv6. Its
// receive calls return after 20 ms at the latest.
func listen(port, buffer int) (int, error) {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	any6 := unix.Sockaddr(&unix.SockaddrInet6{Port: port})
	if errors.Is(err, unix.EAFNOSUPPORT) { // a kernel without IPv6
		fd, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		any6 = &unix.SockaddrInet4{Port: port}
	} else if err == nil {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0)
	}
	if err != nil {
		return -1, fmt.Errorf("opening a UDP socket: %w", err)
	}
	err = enlarge(fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, buffer)
	if err == nil {
		err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 20_000})
	}
	if err == nil {
		err = unix.Bind(fd, any6)
	}
	if err != nil {
		return -1, errors.Join(fmt.Errorf("listening on UDP port %d: %w", port, err), unix.Close(fd))
	}
	return fd, nil
}

// stampArrivals makes a socket say when the kernel got each datagram.
func stampArrivals(fd int) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return fmt.Errorf("asking when datagrams arrive: %w", err)
	}
	return nil
}

// enlarge asks for a buffer, beyond the system's limit where we may
// (CAP_NET_ADMIN; socket(7)).
func enlarge(fd, force, plain, buffer int) error {
	if buffer == 0 || unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, buffer) == nil {
		return nil
	}
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, plain, buffer)
}

// drops returns how many datagrams a socket had no room for since it exists.
func drops(fd int) (uint32, error) {
	var info [skMemInfo]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, fmt.Errorf("reading what the receiver dropped: %w", errno)
	}
	if size < (skDrops+1)*4 {
		return 0, errors.New("reading what the receiver dropped: this kernel does not tell (SO_MEMINFO)")
	}
	return info[skDrops], nil
}

// deviceOf names the network device that has an address.
func deviceOf(a netip.Addr) (string, error) {
	devices, err := net.Interfaces()
	if err != nil {
		return "", fmt.Errorf("listing network devices: %w", err)
	}
	for _, d := range devices {
		addresses, err := d.Addrs()
		if err != nil {
			return "", fmt.Errorf("listing addresses of %s: %w", d.Name, err)
		}
		for _, address := range addresses {
			if p, err := netip.ParsePrefix(address.String()); err == nil && p.Addr().Unmap() == a {
				return d.Name, nil
			}
		}
	}
	return "", fmt.Errorf("no network device has the address %s", a)
}

func linkCounts(device string) (LinkCounts, error) {
	text, err := os.ReadFile("/proc/net/dev")
	if err != nil {
		return LinkCounts{}, fmt.Errorf("reading the counts of %s: %w", device, err)
	}
	return parseLink(string(text), device)
}

// threadTime returns the CPU time of a thread of this process. Its clock's
// number is made of the thread's as in MAKE_THREAD_CPUCLOCK of the kernel's
// posix-timers_types.h.
func threadTime(tid int) (time.Duration, error) {
	const perThread, scheduler = 4, 2
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^tid<<3|perThread|scheduler), &used); err != nil {
		return 0, fmt.Errorf("reading the CPU time of a thread: %w", err)
	}
	return time.Duration(used.Nano()), nil
}
