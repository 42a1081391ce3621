package kernel

import (
	"errors"

	"golang.org/x/sys/unix"
)

// tryMount mounts a file system in the mount namespace of the trials, over a
// directory that every system has.
func tryMount(kind string) func() error {
	return func() error {
		const where = "/sys"
		if err := unix.Mount("none", where, kind, 0, ""); err != nil {
			return err
		}
		return unix.Unmount(where, unix.MNT_DETACH)
	}
}

// tryTun makes a tap interface, which goes when its file is closed.
func tryTun() error {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return &absentError{"/dev/net/tun is not there"}
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // nothing was buffered
	request, err := unix.NewIfreq(trialLink)
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
	return unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
}
