package call

import "golang.org/x/sys/unix"

// segmentation tells whether this kernel cuts UDP messages into datagrams; nil
// where that cannot be seen.
func segmentation() *bool {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	_, err = unix.GetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT)
	cuts := err == nil // a kernel that does not know the option does not
	return &cuts
}
