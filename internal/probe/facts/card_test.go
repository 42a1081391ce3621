package facts

import (
	"strings"
	"testing"
)

// invented is a card of 25 Gbit/s that never was: eight queues, rings that could
// be larger, and an indirection table that is not even.
func invented(name string, b []byte) error {
	word := func(i int, v uint32) { order.PutUint32(b[4*i:], v) }
	switch order.Uint32(b) {
	case getDriver:
		copy(b[4:], "invent25")
		copy(b[36:], "6.8.0")
		copy(b[68:], "22.31.1014 (EX_0000000\x0142)")
		copy(b[100:], "0000:3b:00.0")
	case getStringCount:
		word(4, 34)
	case getStrings:
		for i, feature := range map[int]string{0: "rx-checksum", 1: "tx-tcp-segmentation", 2: "rx-lro", 33: "tx-udp_tnl-segmentation"} {
			copy(b[12+32*i:], feature)
		}
	case getFeatures:
		word(2, 0b110) // available: the second and third; the 34th
		word(3, 0b011) // wanted
		word(4, 0b111) // on
		word(6, 0b10)
		word(7, 0b10)
	case getRings:
		for i, v := range []uint32{8192, 0, 0, 8192, 1024, 0, 0, 2048} {
			word(i+1, v)
		}
	case getChannels:
		word(4, 64)
		word(8, 8)
	case getCoalescing:
		word(1, 8)
		word(2, 128)
		word(10, 1)
	case getRSS:
		order.PutUint32(b[8:], 10)
		order.PutUint32(b[12:], 40)
		b[16] = 1
		for i := range (len(b) - 24) / 4 {
			if i < 10 {
				word(6+i, uint32(i%8))
			} else {
				word(6+i, 0x6d5a56da)
			}
		}
	default:
		return errSilent
	}
	return nil
}

func TestInventedCard(t *testing.T) {
	f := New()
	card(invented).describe(f, "uplink", "ens1f0", true)
	golden(t, "invented", f)
}

// Links are called by what they are for, so that nodes can be compared whose
// kernels call them differently.
func TestLinks(t *testing.T) {
	of := func(index int, name, kind string, mtu int) link {
		return link{Link: Link{Index: index, Name: name, Kind: kind, MTU: mtu}, facts: map[string]string{"qdisc": "noqueue"}, missing: map[string]string{}}
	}
	vlan, first, second := of(4, "bond0.7", "vlan", 1500), of(1, "ens1f0", "device", 9000), of(2, "ens1f1", "device", 9000)
	bond, tunnel, bridge := of(3, "bond0", "bond", 9000), of(5, "flannel.1", "vxlan", 1450), of(6, "cni0", "bridge", 1450)
	end, other := of(7, "veth1234abcd", "veth", 1450), of(8, "veth99", "veth", 1450)
	vlan.parent, first.Master, second.Master = 3, 3, 3
	end.elsewhere, other.elsewhere, end.Peer = true, true, 2
	end.missing["programs"] = "operation not permitted"
	root := files(map[string]string{
		"sys/class/net/ens1f0":                                                "->../../devices/pci0000:3a/0000:3b:00.0/net/ens1f0",
		"sys/devices/pci0000:3a/0000:3b:00.0/net/ens1f0/speed":                "25000",
		"sys/devices/pci0000:3a/0000:3b:00.0/net/ens1f0/duplex":               "full",
		"sys/devices/pci0000:3a/0000:3b:00.0/net/ens1f0/queues/rx-0/rps_cpus": "0",
		"sys/devices/pci0000:3a/0000:3b:00.0/net/ens1f0/queues/rx-1/rps_cpus": "c",
		"sys/devices/pci0000:3a/0000:3b:00.0/net/ens1f0/queues/tx-0/xps_cpus": "f",
		"sys/devices/pci0000:3a/0000:3b:00.0/numa_node":                       "1",
		"sys/devices/pci0000:3a/0000:3b:00.0/current_link_speed":              "8.0 GT/s PCIe",
		"sys/devices/pci0000:3a/0000:3b:00.0/current_link_width":              "8",
		"sys/devices/pci0000:3a/0000:3b:00.0/msi_irqs/120":                    "msix",
		"sys/devices/pci0000:3a/0000:3b:00.0/msi_irqs/99":                     "msix",
		"proc/irq/99/smp_affinity_list":                                       "0-3",
		"proc/irq/120/smp_affinity_list":                                      "2",
		"sys/class/net/ens1f1":                                                "->../../devices/pci0000:3a/0000:3b:00.1/net/ens1f1",
		"sys/devices/pci0000:3a/0000:3b:00.1/net/ens1f1/speed":                "-1",
		"sys/devices/pci0000:3a/0000:3b:00.1/net/ens1f1/duplex":               "unknown",
		"sys/devices/pci0000:3a/0000:3b:00.1/numa_node":                       "-1",
		"sys/class/net/bond0.7":                                               "->../../devices/virtual/net/bond0.7",
	})
	n := namespace{
		links: []link{of(9, "lo", "device", 65536), bridge, second, first, bond, vlan, tunnel, end, other},
		has:   func(l link) bool { return l.Name == "bond0.7" },
		card:  func(string, []byte) error { return errSilent },
	}
	f := New()
	seen := n.describe(f, root, Spec{As: "uplink", Peers: map[string]int{"pod-link": 7, "other-link": 77}})
	golden(t, "links", f)
	var called []string
	for _, l := range seen {
		called = append(called, l.Name+" is "+l.As)
	}
	const want = "bond0 is uplink.under.bond0, bond0.7 is uplink, cni0 is link.cni0, ens1f0 is uplink.under.bond0.under.ens1f0, " +
		"ens1f1 is uplink.under.bond0.under.ens1f1, flannel.1 is link.flannel.1, veth1234abcd is pod-link"
	if got := strings.Join(called, ", "); got != want {
		t.Errorf("links:\n got %s\nwant %s", got, want)
	}
	for name := range f.Values {
		if strings.Contains(name+f.Values[name], "1234abcd") {
			t.Errorf("%s = %q has a name that is made up anew for every pod", name, f.Values[name])
		}
	}
}

// A busy host has more links than anybody wants to read.
func TestManyLinks(t *testing.T) {
	n := namespace{has: func(link) bool { return false }}
	for i := range 100 {
		n.links = append(n.links, link{Link: Link{Index: i + 1, Name: "br-" + strings.Repeat("x", i+1), Kind: "bridge", MTU: 1500}})
	}
	f := New()
	if seen := n.describe(f, files(nil), Spec{As: "uplink"}); len(seen) != mostLinks || f.Missing["link"] == "" || f.Missing["uplink"] == "" {
		t.Errorf("%d links, missing: %v", len(seen), f.Missing)
	}
	consistent(t, f)
}

// Whatever a driver answers, facts stay facts.
func FuzzCard(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint32(64))
	f.Add([]byte(strings.Repeat("\xff", 300)), uint32(256))
	f.Add([]byte(strings.Repeat("a ", 300)), uint32(33))
	f.Fuzz(func(t *testing.T, noise []byte, strings uint32) {
		facts := New()
		answer := func(_ string, b []byte) error {
			copy(b[4:], noise)
			if order.Uint32(b) == getStringCount {
				order.PutUint32(b[16:], strings)
			}
			return nil
		}
		card(answer).describe(facts, "uplink", "eth0", true)
		consistent(t, facts)
	})
}
