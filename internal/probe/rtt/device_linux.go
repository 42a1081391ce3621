package rtt

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// podInterface is what container runtimes call a pod's interface.
const podInterface = "eth0"

// device is an interface to watch.
type device struct {
	name       string
	index      int
	linkHeader int // bytes
	// netns is a handle of its network namespace; nil: this process's.
	netns *os.File
}

// inside calls f in the device's network namespace.
func (d device) inside(f func() error) error { return inside(d.netns, f) }

// inside calls f in a network namespace, on a thread that is thrown away if it
// cannot return to its own.
func inside(netns *os.File, f func() error) error {
	if netns == nil {
		return f()
	}
	result := make(chan error)
	go func() { result <- enter(netns, f) }()
	return <-result
}

func enter(netns *os.File, f func() error) error {
	runtime.LockOSThread() // and never unlock on failure: the thread ends with the goroutine
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return fmt.Errorf("opening this network namespace: %w", err)
	}
	defer func() { _ = home.Close() }() // only read
	if err := unix.Setns(int(netns.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering a pod's network namespace: %w", err)
	}
	err = f()
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back == nil {
		runtime.UnlockOSThread()
	}
	return err
}

// netnsOf opens a pod's network namespace, or returns nil for this process's.
func netnsOf(tap Tap) (*os.File, error) {
	if tap.Pod == "" {
		return nil, nil
	}
	pid, err := processOf("/proc", tap.Pod)
	if err != nil {
		return nil, err
	}
	return os.Open(filepath.Join("/proc", strconv.Itoa(pid), "ns/net"))
}

// processOf finds a process of a pod. Kubelet names a pod's control groups by
// its UID, with underscores where systemd manages them.
func processOf(procfs, uid string) (int, error) {
	names, err := filepath.Glob(filepath.Join(procfs, "[0-9]*"))
	if err != nil {
		return 0, err
	}
	other := strings.ReplaceAll(uid, "-", "_")
	for _, dir := range names {
		groups, err := os.ReadFile(filepath.Join(dir, "cgroup"))
		if err != nil {
			continue // it has ended
		}
		if text := string(groups); strings.Contains(text, "pod"+uid) || strings.Contains(text, "pod"+other) {
			return strconv.Atoi(filepath.Base(dir))
		}
	}
	return 0, fmt.Errorf("no process here is of a pod with UID %s: it is another node's, or this is not the node's PID namespace", uid)
}

// devices are those of a tap, in the current network namespace.
func devices(tap Tap) ([]device, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("listing interfaces: %w", err)
	}
	name := tap.Interface
	if name == "" && tap.Address == "" {
		name = podInterface
	}
	var found []device
	for _, i := range all {
		fits := i.Name == name
		switch {
		case name == Any:
			fits = i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0
		case tap.Address != "":
			fits = hasAddress(i, tap.Address)
		}
		if !fits {
			continue
		}
		header, err := linkHeader(i.Name)
		if err != nil {
			return nil, err
		}
		found = append(found, device{name: i.Name, index: i.Index, linkHeader: header})
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no interface %s", name+tap.Address)
	}
	return found, nil
}

func hasAddress(i net.Interface, address string) bool {
	want, _ := netip.ParseAddr(address)
	addresses, _ := i.Addrs()
	for _, a := range addresses {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap() == want.Unmap() {
			return true
		}
	}
	return false
}

// linkHeader returns how many bytes precede IP on a device: those of Ethernet,
// or none.
func linkHeader(name string) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("opening a socket: %w", err)
	}
	defer func() { _ = unix.Close(fd) }() // nothing is buffered in it
	request, err := unix.NewIfreq(name)
	if err != nil {
		return 0, err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFHWADDR, request); err != nil {
		return 0, fmt.Errorf("asking for the kind of %s: %w", name, err)
	}
	switch kind := request.Uint16(); kind { // sa_family of the address
	case unix.ARPHRD_ETHER, unix.ARPHRD_LOOPBACK:
		return 14, nil
	case unix.ARPHRD_NONE, unix.ARPHRD_PPP, unix.ARPHRD_TUNNEL, unix.ARPHRD_TUNNEL6, unix.ARPHRD_SIT:
		return 0, nil
	default:
		return 0, fmt.Errorf("interface %s is of kind %d: %w", name, kind, errors.ErrUnsupported)
	}
}
