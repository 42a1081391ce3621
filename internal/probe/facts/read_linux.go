package facts

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/vishvananda/netlink"

	"github.com/cnibench/cnibench/internal/probe/kernel"
	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

// Read looks at the machine and the network namespace that it runs in. It needs
// no privilege; without, more of it is missing.
func Read(spec Spec) Report {
	if spec.As == "" {
		spec.As = "uplink"
	}
	root := os.DirFS("/")
	r := Report{BootID: kernel.BootID(), Kernel: New(), Node: New()}
	if !spec.SkipKernel {
		machine(r.Kernel, root)
		cpus(r.Kernel, root)
		r.Kernel.Merge(readConfiguration())
	}
	if spec.SkipLinks {
		return r
	}
	sysctls(r.Node, root, namespaceSysctls)
	links, err := readLinks()
	if err != nil {
		r.Node.Miss("link", reason(err))
		return r
	}
	here := namespace{links: links, has: func(l link) bool { return isMeant(l.Name, spec) }}
	ask, done, err := openCard()
	if err == nil {
		defer done()
		here.card = ask
	} else {
		r.Node.Miss(spec.As+".driver", err.Error())
	}
	r.Links = here.describe(r.Node, root, spec)
	return r
}

// ReadHere reads the kernel that this process runs on, and its boot id: a lab's
// nodes run on it too, and see less of it.
func ReadHere() (bootID string, kernel Facts) {
	r := Read(Spec{SkipLinks: true})
	return r.BootID, r.Kernel
}

// readConfiguration finds the configuration of the running kernel.
func readConfiguration() Facts {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return NoConfiguration(reason(err))
	}
	values, err := kernel.FindConfig(strings.TrimSpace(string(release)))
	if err != nil {
		return NoConfiguration(err.Error())
	}
	return Configuration(values)
}

// isMeant tells whether a link is the one of the specification.
func isMeant(name string, spec Spec) bool {
	if spec.Interface != "" {
		return name == spec.Interface
	}
	i, err := net.InterfaceByName(name)
	if err != nil || spec.Address == "" {
		return false
	}
	addresses, _ := i.Addrs() // a link that is going has none
	for _, a := range addresses {
		if ip, _, err := net.ParseCIDR(a.String()); err == nil && ip.Equal(net.ParseIP(spec.Address)) {
			return true
		}
	}
	return false
}

// readLinks lists the links of this network namespace.
func readLinks() ([]link, error) {
	list, err := netlink.LinkList()
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("listing links: %w", err)
	}
	disciplines, unread := readDisciplines()
	var all []link
	for _, l := range list {
		a := l.Attrs()
		one := link{
			Link:      Link{Name: a.Name, Kind: l.Type(), MTU: a.MTU, Index: a.Index, Master: a.MasterIndex},
			elsewhere: a.NetNsID >= 0, facts: map[string]string{}, missing: map[string]string{},
		}
		switch l.Type() {
		case "veth", "netkit":
			one.Peer = a.ParentIndex
		case "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap":
			one.parent = a.ParentIndex
		}
		attributes(one.facts, l)
		if unread != nil {
			one.missing["qdisc"] = reason(unread)
		} else {
			one.facts["qdisc"] = disciplines[a.Index]
		}
		programs, err := nodestate.ProgramsOn(l)
		one.facts["programs"] = orNone(programs, a.Name)
		if err != nil {
			delete(one.facts, "programs")
			one.missing["programs"] = reason(err)
		}
		all = append(all, one)
	}
	return all, nil
}

// orNone lists programs without the name of the link, which is another for
// every pod and part of some programs' names.
func orNone(programs []string, link string) string {
	if len(programs) == 0 {
		return "none"
	}
	return strings.ReplaceAll(strings.Join(programs, ", "), link, "LINK")
}

// attributes notes what netlink says of a link.
func attributes(facts map[string]string, l netlink.Link) {
	a := l.Attrs()
	for name, n := range map[string]uint32{"gso.max-size": a.GSOMaxSize, "gro.max-size": a.GROMaxSize, "gso.max-segments": a.GSOMaxSegs} {
		if n > 0 { // older kernels do not tell
			facts[name] = fmt.Sprint(n)
		}
	}
	facts["queue-length"] = fmt.Sprint(a.TxQLen)
	if v, is := l.(*netlink.Vxlan); is {
		facts["tunnel"] = fmt.Sprintf("VNI %d, port %d, UDP checksums %t", v.VxlanId, v.Port, v.UDPCSum)
	}
}

// readDisciplines names the queueing discipline at the root of every link.
func readDisciplines() (map[int]string, error) {
	list, err := netlink.QdiscList(nil)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, err
	}
	roots, children := map[int]string{}, map[int]map[string]bool{}
	for _, q := range list {
		a := q.Attrs()
		switch {
		case a.Parent == netlink.HANDLE_ROOT:
			roots[a.LinkIndex] = q.Type()
		case q.Type() != "clsact" && q.Type() != "ingress":
			if children[a.LinkIndex] == nil {
				children[a.LinkIndex] = map[string]bool{}
			}
			children[a.LinkIndex][q.Type()] = true
		}
	}
	return withChildren(roots, children), nil
}
