package nodestate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attachType is a place where programs can be attached: a value of enum
// bpf_attach_type in linux/bpf.h.
type attachType struct {
	number uint32
	name   string
}

// cgroupAttachTypes are the places of a control group, of which plugins that
// carry Services themselves use some.
var cgroupAttachTypes = []attachType{
	{0, "ingress"}, {1, "egress"}, {2, "sock_create"}, {3, "sock_ops"}, {8, "bind4"}, {9, "bind6"}, {10, "connect4"}, {11, "connect6"},
	{12, "post_bind4"}, {13, "post_bind6"}, {14, "sendmsg4"}, {15, "sendmsg6"}, {19, "recvmsg4"}, {20, "recvmsg6"},
	{29, "getpeername4"}, {30, "getpeername6"}, {31, "getsockname4"}, {32, "getsockname6"}, {34, "sock_release"},
}

// Commands of bpf(2).
const (
	bpfProgDetach   = 9
	bpfProgGetFD    = 13
	bpfObjGetInfo   = 15
	bpfProgQuery    = 16
	mostPrograms    = 64 // the kernel attaches at most 64 to one place
	programNameAt   = 64 // offset of name in struct bpf_prog_info
	programInfoSize = 128
)

// program is an attached BPF program.
type program struct {
	id   uint32
	name string
}

// attached lists the programs at a place of a control group (target is a file
// descriptor) or of a link (an index).
func attached(target int, at uint32) ([]program, error) {
	var ids [mostPrograms]uint32
	attr := struct {
		target, attachType, queryFlags, attachFlags uint32
		ids                                         uint64
		count, _                                    uint32
		_                                           [3]uint64
	}{target: uint32(target), attachType: at, ids: uint64(uintptr(unsafe.Pointer(&ids))), count: mostPrograms}
	_, err := bpf(bpfProgQuery, unsafe.Pointer(&attr), unsafe.Sizeof(attr))
	runtime.KeepAlive(&ids)
	if err != nil {
		return nil, err
	}
	var all []program
	for _, id := range ids[:min(attr.count, mostPrograms)] {
		all = append(all, program{id, programName(id)})
	}
	return all, nil
}

// programName asks for the name of a program, which is cut to 15 bytes.
func programName(id uint32) string {
	fd, err := programFD(id)
	if err != nil {
		return fmt.Sprintf("program-%d", id)
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	var info [programInfoSize]byte
	attr := struct {
		fd, size uint32
		info     uint64
	}{uint32(fd), programInfoSize, uint64(uintptr(unsafe.Pointer(&info)))}
	_, err = bpf(bpfObjGetInfo, unsafe.Pointer(&attr), unsafe.Sizeof(attr))
	runtime.KeepAlive(&info)
	name := unix.ByteSliceToString(info[programNameAt : programNameAt+unix.BPF_OBJ_NAME_LEN])
	if err != nil || name == "" {
		return fmt.Sprintf("program-%d", id)
	}
	return name
}

func programFD(id uint32) (int, error) {
	attr := struct{ id, next, flags uint32 }{id: id}
	return bpf(bpfProgGetFD, unsafe.Pointer(&attr), unsafe.Sizeof(attr))
}

func (p program) detach(target int, at uint32) error {
	fd, err := programFD(p.id)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	attr := struct{ target, program, attachType, flags, replace uint32 }{target: uint32(target), program: uint32(fd), attachType: at}
	_, err = bpf(bpfProgDetach, unsafe.Pointer(&attr), unsafe.Sizeof(attr))
	return err
}

func bpf(command int, attr unsafe.Pointer, size uintptr) (int, error) {
	result, _, errno := unix.Syscall(unix.SYS_BPF, uintptr(command), uintptr(attr), size)
	if errno != 0 {
		return 0, errno
	}
	return int(result), nil
}

// readCgroupPrograms lists the programs at the root of every mounted hierarchy
// of version 2 of control groups.
func readCgroupPrograms(_ context.Context, n node) ([]found, error) {
	var all []found
	err := asFirst(func() error {
		info, err := mountinfo(n.root)
		if err != nil {
			return err
		}
		seen := map[uint64]bool{}
		for _, point := range cgroupMounts(info) {
			dir := in(n.root, point)
			var st unix.Stat_t
			if err := unix.Stat(dir, &st); errors.Is(err, fs.ErrNotExist) || err == nil && seen[st.Ino] {
				continue
			}
			seen[st.Ino] = true
			programs, err := programsOf(dir, point)
			if err != nil {
				return fmt.Errorf("%s: %w", point, err)
			}
			all = append(all, programs...)
		}
		return nil
	})
	return all, err
}

// asFirst calls a function in the control group namespace of the node's first
// process: there, what lies above the node can be told from what is the node's.
func asFirst(do func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with this goroutine
		err := enterNamespace("/proc/1/ns/cgroup", unix.CLONE_NEWCGROUP)
		if err == nil {
			err = do()
		}
		result <- err
	}()
	return <-result
}

func enterNamespace(file string, kind int) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the kernel has no such namespaces
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return unix.Setns(int(f.Fd()), kind)
}

func programsOf(dir, point string) ([]found, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	var all []found
	for _, at := range cgroupAttachTypes {
		programs, err := attached(int(f.Fd()), at.number)
		if errors.Is(err, unix.EINVAL) {
			continue // the kernel does not know the place
		}
		if err != nil {
			return all, err
		}
		for _, p := range programs {
			name := point + " " + at.name + " " + p.name
			all = append(all, found{Item{Program, name, "control group"}, func() error { return detachFrom(dir, p, at) }})
		}
	}
	return all, nil
}

func detachFrom(dir string, p program, at attachType) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return gone(p.detach(int(f.Fd()), at.number))
}
