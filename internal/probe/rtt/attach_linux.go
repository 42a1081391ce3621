package rtt

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

// Where programs are attached, in reports.
const (
	hookTCX    = "tcx"
	hookClsact = "clsact"
	hookXDP    = "xdp"
)

// attach puts the programs before those of others, which may decide that a
// packet goes no further; they let all others decide. Links end with this
// process, however it ends.
func (o *observer) attach(device device) error {
	onXDP := o.attachXDP(device)
	// Egress first: nothing is matched that left unseen.
	hooks := []struct {
		program *ebpf.Program
		point   ebpf.AttachType
	}{{o.objects.TcEgress, ebpf.AttachTCXEgress}, {o.objects.TcIngress, ebpf.AttachTCXIngress}}
	if onXDP {
		hooks = hooks[:1]
	}
	hook := hookTCX
	for _, h := range hooks {
		l, err := link.AttachTCX(link.TCXOptions{Interface: device.index, Program: h.program, Attach: h.point, Anchor: link.Head()})
		if errors.Is(err, ebpf.ErrNotSupported) {
			hook = hookClsact // kernels before 6.6
			err = o.attachClsact(device, h.program, h.point == ebpf.AttachTCXIngress)
		} else if err == nil {
			o.detach = append(o.detach, l.Close)
		}
		if err != nil {
			return err
		}
	}
	if onXDP {
		hook = hookXDP + "+" + hook
	}
	o.place.Hook = hook
	return nil
}

// attachXDP tries to see what arrives in the driver. A device runs one XDP
// program: where somebody has one, tc has to do.
func (o *observer) attachXDP(device device) bool {
	if o.xdp == nil { // not asked for, or it cannot be loaded
		return false
	}
	if device.linkHeader == 0 {
		o.place.Note = "no XDP: the device has no link header"
		return false
	}
	l, err := link.AttachXDP(link.XDPOptions{Program: o.xdp, Interface: device.index, Flags: link.XDPDriverMode})
	if err != nil {
		o.place.Note = fmt.Sprintf("no XDP: %v", err)
		return false
	}
	o.detach = append(o.detach, l.Close)
	return true
}

func (o *observer) attachClsact(device device, program *ebpf.Program, ingress bool) error {
	filter := clsactFilter{ifindex: device.index, ingress: ingress}
	made, err := filter.add(program.FD())
	if err != nil {
		return err
	}
	o.detach = append(o.detach, func() error {
		return device.inside(func() error { return filter.remove(made) })
	})
	return nil
}
