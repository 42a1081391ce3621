package facts

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// link is a [Link] with what netlink says of it besides.
type link struct {
	Link
	parent    int  // of a VLAN and the like: the link that carries it
	elsewhere bool // its other end is in another network namespace
	facts     map[string]string
	missing   map[string]string
}

// mostLinks bounds how many links besides the node's own are described: every
// container network of a busy host has some.
const mostLinks = 24

// namespace is a network namespace with everything in it.
type namespace struct {
	links []link
	has   func(link) bool // the interface that the specification means
	card  card
}

// describe notes the links of a network namespace by what they are for: the
// interface that was asked for, the links below it, the ends of pods' links,
// and all others by name. Other pods' links are left out.
func (n namespace) describe(f Facts, root fs.FS, spec Spec) []Link {
	slices.SortFunc(n.links, func(a, b link) int { return strings.Compare(a.Name, b.Name) })
	names := map[int]string{} // what a link is called, by index
	i := slices.IndexFunc(n.links, n.has)
	if i < 0 {
		f.Miss(spec.As, "no interface of this network namespace has the address")
	} else {
		n.name(names, n.links[i], spec.As, 0)
	}
	for as, index := range spec.Peers {
		if names[index] == "" {
			names[index] = as
		}
	}
	others := 0
	var seen []Link
	for _, l := range n.links {
		if names[l.Index] == "" {
			if !l.ofInterest() {
				continue
			}
			if others++; others > mostLinks {
				continue
			}
			names[l.Index] = "link." + l.Name
		}
		l.As = names[l.Index]
		n.note(f, root, l)
		seen = append(seen, l.Link)
	}
	if others > mostLinks {
		f.Miss("link", fmt.Sprintf("only the first %d of %d are described", mostLinks, others))
	}
	for as, index := range spec.Peers {
		if !slices.ContainsFunc(seen, func(l Link) bool { return l.Index == index }) {
			f.Miss(as, "the node has no end of the pod's link")
		}
	}
	return seen
}

// mostLevels bounds how deep links are stacked: a VLAN on a bond on a card.
const mostLevels = 4

// name calls a link and those that carry it.
func (n namespace) name(names map[int]string, l link, as string, level int) {
	names[l.Index] = as
	if level == mostLevels {
		return
	}
	for _, below := range n.links {
		carries := below.Index == l.parent || below.Master == l.Index && (l.Kind == "bond" || l.Kind == "team")
		if carries && names[below.Index] == "" {
			n.name(names, below, as+".under."+below.Name, level+1)
		}
	}
}

// ofInterest leaves out the loopback and the links of pods and containers.
func (l link) ofInterest() bool {
	pair := l.Kind == "veth" || l.Kind == "netkit"
	return l.Name != "lo" && (!pair || !l.elsewhere) && l.Kind != "ifb"
}

// tunnels are the kinds of links that put packets into packets.
var tunnels = []string{"vxlan", "geneve", "wireguard", "ipip", "ip6tnl", "sit", "gre", "gretap", "ip6gre", "ip6gretap", "erspan", "tun", "xfrm"}

// IsTunnel tells whether links of a kind put packets into packets.
func IsTunnel(kind string) bool { return slices.Contains(tunnels, kind) }

// note writes down one link. Drivers and queues are asked for of those that
// carry pods' packets alone.
func (n namespace) note(f Facts, root fs.FS, l link) {
	as := l.As
	f.Set(as+".kind", l.Kind)
	f.setInt(as+".mtu", int64(l.MTU))
	if !strings.HasPrefix(as, "link.") {
		if l.named() {
			f.Set(as+".name", l.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.facts)) {
		f.Set(as+"."+name, l.facts[name])
	}
	for _, name := range slices.Sorted(maps.Keys(l.missing)) {
		f.Miss(as+"."+name, l.missing[name])
	}
	if strings.HasPrefix(as, "link.") && !IsTunnel(l.Kind) {
		return
	}
	device, hardware := deviceOf(root, l.Name)
	if n.card != nil {
		n.card.describe(f, as, l.Name, hardware)
	}
	queues(f, root, as, l.Name)
	dir := path.Join(netDir, l.Name)
	f.readHere(root, as+".napi.threaded", dir+"/threaded")
	f.readHere(root, as+".napi.defer-hard-irqs", dir+"/napi_defer_hard_irqs")
	f.readHere(root, as+".gro.flush-timeout", dir+"/gro_flush_timeout")
	if hardware {
		hardwareOf(f, root, as, l.Name, device)
		return
	}
	for _, name := range []string{"speed", "duplex", "numa", "irq.cpus"} {
		f.Miss(as+"."+name, "there is no hardware behind a "+l.Kind)
	}
}

// named tells whether a link's name stays the same from pod to pod.
func (l link) named() bool { return !l.elsewhere || !l.ofPod() }

// ofPod tells whether it is the node's end of a pod's link. A node may itself be
// connected that way: then the link has one of the names that uplinks have.
func (l link) ofPod() bool {
	uplink := strings.HasPrefix(l.Name, "eth") || strings.HasPrefix(l.Name, "en")
	return (l.Kind == "veth" || l.Kind == "netkit") && !uplink
}

// hardwareOf notes what the bus and the line of a card are.
func hardwareOf(f Facts, root fs.FS, as, name, device string) {
	dir := path.Join(netDir, name)
	speed, err := fs.ReadFile(root, dir+"/speed")
	switch word := strings.TrimSpace(string(speed)); {
	case err != nil: // EINVAL of a link that is down
		f.Miss(as+".speed", reason(err))
	case word == "-1" || word == "0":
		f.Miss(as+".speed", errSilent.Error())
	default:
		f.Set(as+".speed", word+" Mbit/s")
	}
	f.read(root, as+".duplex", dir+"/duplex")
	if f.Values[as+".duplex"] == "unknown" {
		f.Miss(as+".duplex", errSilent.Error())
	}
	node, err := fs.ReadFile(root, device+"/numa_node")
	switch word := strings.TrimSpace(string(node)); {
	case err != nil:
		f.Miss(as+".numa", reason(err))
	case word == "-1":
		f.Miss(as+".numa", "the device is near to no node of the memory")
	default:
		f.Set(as+".numa", word)
	}
	for fact, file := range map[string]string{"pcie.speed": "current_link_speed", "pcie.width": "current_link_width"} {
		f.readHere(root, as+"."+fact, device+"/"+file)
	}
	interrupts(f, root, as, device)
}
