package nodestate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// linkAttachTypes are the places of a link that programs are attached to by
// bpf(2) itself: tcx, and the two ends of a netkit device.
var linkAttachTypes = []attachType{{46, "tcx ingress"}, {47, "tcx egress"}, {54, "netkit primary"}, {55, "netkit peer"}}

// xdpModes names IFLA_XDP_ATTACHED of linux/if_link.h.
var xdpModes = map[uint32]string{1: "xdp native", 2: "xdp generic", 3: "xdp offloaded", 4: "xdp"}

// ProgramsOn lists the BPF programs that a link's packets pass, as "tc ingress
// NAME", in the order of the alphabet. Programs have numbers too, which change
// with every load and are left out.
func ProgramsOn(l netlink.Link) ([]string, error) {
	var all []string
	name := l.Attrs().Name
	for _, f := range filters(l) {
		direction := strings.TrimPrefix(f.Name, name+" ")
		all = append(all, "tc "+direction)
	}
	if x := l.Attrs().Xdp; x != nil && x.Attached {
		mode, known := xdpModes[x.AttachMode]
		if !known {
			mode = "xdp"
		}
		all = append(all, mode+" "+steadyName(program{x.ProgId, programName(x.ProgId)}))
	}
	for _, at := range linkAttachTypes {
		programs, err := attached(l.Attrs().Index, at.number)
		switch {
		case errors.Is(err, unix.EPERM):
			return all, err
		case err != nil:
			continue // the kernel or the link does not know the place
		}
		for _, p := range programs {
			all = append(all, at.name+" "+steadyName(p))
		}
	}
	slices.Sort(all)
	return all, nil
}

// steadyName is a program's name if it has one.
func steadyName(p program) string {
	if p.name == fmt.Sprintf("program-%d", p.id) {
		return "without a name"
	}
	return p.name
}
