package facts

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openCard asks the links of this network namespace until it is closed.
func openCard() (_ card, done func(), err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	ask := func(name string, buffer []byte) error { return ethtool(fd, name, buffer) }
	return ask, func() { _ = unix.Close(fd) }, nil // nothing was written
}

// ethtool is ioctl(2) with SIOCETHTOOL and a struct ifreq that points to the
// question. golang.org/x/sys has it for the driver's name only.
func ethtool(fd int, name string, buffer []byte) error {
	if len(name) >= unix.IFNAMSIZ {
		return unix.EINVAL
	}
	var request struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte // the rest of the union
	}
	copy(request.name[:], name)
	var pinned runtime.Pinner
	defer pinned.Unpin()
	pinned.Pin(&buffer[0])
	request.data = unsafe.Pointer(&buffer[0])
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&request)))
	switch {
	case errno == 0:
		return nil
	case errors.Is(errno, unix.EOPNOTSUPP):
		return errSilent
	}
	return errno
}

// Statistics are the counters of a link's driver, as `ethtool -S` shows them.
// It is an error where the driver has none.
func Statistics(name string) (map[string]uint64, error) {
	ask, done, err := openCard()
	if err != nil {
		return nil, err
	}
	defer done()
	return ask.statistics(name)
}
