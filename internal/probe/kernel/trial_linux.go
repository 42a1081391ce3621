package kernel

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Handles of queueing disciplines (linux/pkt_sched.h).
const (
	rootParent   = 0xffffffff
	clsactHandle = 0xffff0000
	clsactParent = 0xfffffff1
)

// trials try every feature; a test holds their names to [Features].
func trials() map[string]func() error {
	return map[string]func() error{
		"veth":          tryLink("veth"),
		"bridge":        tryLink("bridge"),
		"br-netfilter":  tryBridgeNetfilter,
		"vxlan":         tryLink("vxlan", attribute(unix.IFLA_VXLAN_ID, word(1)), attribute(unix.IFLA_VXLAN_PORT, beShort(8472))),
		"geneve":        tryLink("geneve", attribute(unix.IFLA_GENEVE_COLLECT_METADATA, nil)),
		"wireguard":     tryLink("wireguard"),
		"ipip":          withoutModule("ipip", tryLink("ipip", tunnelEnds(2, 3)...)),
		"gre":           withoutModule("ip_gre", tryLink("gre", tunnelEnds(6, 7)...)),
		"fou":           tryFamily("fou"),
		"dummy":         withoutModule("dummy", tryLink("dummy")),
		"macvlan":       tryUpper("macvlan"),
		"ipvlan":        tryUpper("ipvlan"),
		"netkit":        tryLink("netkit"),
		"openvswitch":   tryFamily("ovs_datapath"),
		"ipvs":          tryFamily("IPVS"),
		"esp":           tryESP,
		"ipset":         tryIPSet,
		"iptables":      tryIPTables,
		"nftables":      tryNFTables("masq", nil),
		"nft-fib":       tryNFTables("fib", nil, attribute(unix.NFTA_FIB_DREG, beWord(1)), attribute(unix.NFTA_FIB_RESULT, beWord(3)), attribute(unix.NFTA_FIB_FLAGS, beWord(2))),
		"nft-queue":     tryNFTables("queue", nil, attribute(unix.NFTA_QUEUE_NUM, beShort(0))),
		"nft-flowtable": tryNFTables("flow_offload", []message{flowtable()}, attribute(1, text("flows"))),
		"clsact":        tryQdisc("clsact", clsactHandle, clsactParent, nil),
		"fq":            tryQdisc("fq", 0, rootParent, nil),
		"netem":         tryQdisc("netem", 0, rootParent, make([]byte, 24)), // struct tc_netem_qopt: no delay, no loss
		"bpf":           tryProgram(unix.BPF_PROG_TYPE_SCHED_CLS, 0, 0),
		"bpf-cgroup":    tryProgram(unix.BPF_PROG_TYPE_CGROUP_SOCK_ADDR, unix.BPF_CGROUP_INET4_CONNECT, 1),
		"btf":           tryBTF,
		"xdp":           onLower(tryXDP),
		"cgroup2":       tryMount("cgroup2"),
		"bpffs":         tryMount("bpf"),
		"tun":           tryTun,
	}
}

// try tries features in scratch namespaces. There is no answer for what nobody
// knows how to try.
func try(names []string) map[string]Answer {
	answers := map[string]Answer{}
	all := trials()
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return all[name] == nil })
	err := inScratch(func() {
		for _, name := range names {
			answers[name] = judge(all[name]())
		}
	})
	if err != nil {
		for _, name := range names {
			answers[name] = Answer{Unknown, err.Error()}
		}
	}
	return answers
}

// refusals are what kernels say about what they do not have: an unknown kind
// of interface, discipline, expression, family, program or file system.
var refusals = []unix.Errno{
	unix.EOPNOTSUPP, unix.EPROTONOSUPPORT, unix.EAFNOSUPPORT, unix.ENOPROTOOPT, unix.ENOENT, unix.ENODEV, unix.ENOSYS, unix.EINVAL,
	unix.ENXIO, // /dev/net/tun without its driver
}

// judge tells a kernel that cannot from a caller that may not.
func judge(err error) Answer {
	if err == nil {
		return Answer{Can: Yes}
	}
	reason := strings.ReplaceAll(err.Error(), "\n", "; ")
	var need *needError
	var absent *absentError
	switch {
	case errors.As(err, &need), errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return Answer{Unknown, reason}
	case errors.As(err, &absent):
		return Answer{No, reason}
	}
	for _, errno := range refusals {
		if errors.Is(err, errno) {
			return Answer{No, reason}
		}
	}
	var other *kernelError
	if errors.As(err, &other) && other.errno >= 4096 {
		return Answer{No, reason}
	}
	return Answer{Unknown, reason}
}

// withoutModule unloads a module that the kernel loaded for a trial, because
// it has put interfaces into other network namespaces: tunl0, gre0, dummy0.
func withoutModule(name string, try func() error) func() error {
	return func() error {
		before := loadedModules()
		err := try()
		if before == nil || before[name] || !loadedModules()[name] {
			return err
		}
		if gone := unix.DeleteModule(name, unix.O_NONBLOCK); gone != nil {
			return errors.Join(err, fmt.Errorf("module %s was loaded for the trial and cannot be unloaded: %v", name, gone))
		}
		return err
	}
}

// loadedModules is nil on a kernel without modules.
func loadedModules() map[string]bool {
	b, err := os.ReadFile("/proc/modules")
	if err != nil {
		return nil
	}
	return parseLoaded(string(b))
}
