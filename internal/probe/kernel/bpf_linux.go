package kernel

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// loadProgram loads the program "return value" and gives its file descriptor.
func loadProgram(kind, attach uint32, value byte) (int, error) {
	code := [16]byte{0xb7, 0, 0, 0, value, 0, 0, 0, 0x95} // r0 = value; exit
	license := [4]byte{'G', 'P', 'L'}
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&code)
	pins.Pin(&license)
	load := struct { // the part of union bpf_attr for BPF_PROG_LOAD
		kind, count       uint32
		code, license     uint64
		logLevel, logSize uint32
		log               uint64
		version, flags    uint32
		name              [16]byte
		ifindex, attach   uint32
	}{kind: kind, count: 2, code: uint64(uintptr(unsafe.Pointer(&code))), license: uint64(uintptr(unsafe.Pointer(&license))), attach: attach}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_LOAD, uintptr(unsafe.Pointer(&load)), unsafe.Sizeof(load))
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

func tryProgram(kind, attach uint32, value byte) func() error {
	return func() error {
		fd, err := loadProgram(kind, attach, value)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}
}

// tryXDP attaches a program that passes everything, in the generic mode that
// every driver has.
func tryXDP(index int) error {
	fd, err := loadProgram(unix.BPF_PROG_TYPE_XDP, 0, 2)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // nothing was buffered
	err = talk(unix.NETLINK_ROUTE, message{unix.RTM_SETLINK, unix.NLM_F_ACK, append(linkHeader(index),
		nested(unix.IFLA_XDP, attribute(unix.IFLA_XDP_FD, word(uint32(fd))), attribute(unix.IFLA_XDP_FLAGS, word(unix.XDP_FLAGS_SKB_MODE)))...)})
	return err
}

func tryBTF() error {
	_, err := os.Stat("/sys/kernel/btf/vmlinux")
	if errors.Is(err, unix.ENOENT) {
		if _, sysErr := os.Stat("/sys/kernel"); sysErr != nil {
			return fmt.Errorf("sysfs cannot be read: %v", sysErr)
		}
		return &absentError{"/sys/kernel/btf/vmlinux is not there"}
	}
	return err
}
