package rtt

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// clsactFilter is a program on a device of a kernel without tcx. It stays when
// the process is killed: the next one that watches the device replaces it.
type clsactFilter struct {
	ifindex int
	ingress bool
}

// Of linux/pkt_sched.h and linux/pkt_cls.h.
const (
	tcHandleClsact  = 0xffff0000
	tcParentClsact  = 0xfffffff1
	tcParentIngress = 0xfffffff2
	tcParentEgress  = 0xfffffff3

	tcaKind    = 1
	tcaOptions = 2

	tcaBPFFD        = 6
	tcaBPFName      = 7
	tcaBPFFlags     = 8
	tcaBPFActDirect = 1

	// filterHandle tells ours from others' of the same priority: "rtt".
	filterHandle = 0x727474
	filterName   = "cnibench-rtt"
	// filterPriority is the first. Of one priority the newest filter is asked
	// first, so ours comes before those that may end the search.
	filterPriority = 1
)

// add attaches a program. made tells that the device had no clsact before.
func (f clsactFilter) add(fd int) (made bool, err error) {
	err = talk(unix.RTM_NEWQDISC, unix.NLM_F_CREATE|unix.NLM_F_EXCL, f.header(tcHandleClsact, tcParentClsact, 0), attribute(tcaKind, text("clsact")))
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return false, fmt.Errorf("adding clsact: %w", err)
	}
	made = err == nil
	options := join(attribute(tcaBPFFD, word(uint32(fd))), attribute(tcaBPFName, text(filterName)), attribute(tcaBPFFlags, word(tcaBPFActDirect)))
	add := func() error {
		return talk(unix.RTM_NEWTFILTER, unix.NLM_F_CREATE|unix.NLM_F_EXCL, f.filterHeader(), attribute(tcaKind, text("bpf")), attribute(tcaOptions|unix.NLA_F_NESTED, options))
	}
	if err = add(); errors.Is(err, unix.EEXIST) {
		if err = f.delete(); err == nil {
			err = add()
		}
	}
	if err != nil {
		return made, fmt.Errorf("adding a clsact filter: %w", err)
	}
	return made, nil
}

// remove takes the filter away, and clsact where it was made for it, unless
// somebody came to use it meanwhile.
func (f clsactFilter) remove(made bool) error {
	if err := f.delete(); err != nil || !made {
		return err
	}
	for _, parent := range []uint32{tcParentIngress, tcParentEgress} {
		n, err := count(unix.RTM_GETTFILTER, unix.RTM_NEWTFILTER, f.header(0, parent, 0))
		if err != nil || n > 0 {
			return err
		}
	}
	return talk(unix.RTM_DELQDISC, 0, f.header(tcHandleClsact, tcParentClsact, 0), attribute(tcaKind, text("clsact")))
}

func (f clsactFilter) delete() error {
	return talk(unix.RTM_DELTFILTER, 0, f.filterHeader(), attribute(tcaKind, text("bpf")))
}

func (f clsactFilter) filterHeader() []byte {
	parent := uint32(tcParentEgress)
	if f.ingress {
		parent = tcParentIngress
	}
	protocol := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
	return f.header(filterHandle, parent, filterPriority<<16|uint32(protocol))
}

// header is struct tcmsg.
func (f clsactFilter) header(handle, parent, info uint32) []byte {
	h := make([]byte, 8, 20)
	binary.NativeEndian.PutUint32(h[4:], uint32(f.ifindex))
	return join(h, word(handle), word(parent), word(info))
}
