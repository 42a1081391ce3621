package kernel

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nfMessage makes a message of a subsystem of nfnetlink (struct nfgenmsg).
func nfMessage(subsystem, command, flags uint16, family byte, attributes ...[]byte) message {
	return message{subsystem<<8 | command, flags, append([]byte{family, 0, 0, 0}, join(attributes...)...)}
}

// tryIPSet creates a set of hash:ip with the lowest protocol and revision that
// kernels still take (linux/netfilter/ipset/ip_set.h); the namespace takes it.
func tryIPSet() error {
	err := talk(unix.NETLINK_NETFILTER, nfMessage(unix.NFNL_SUBSYS_IPSET, 2, unix.NLM_F_ACK|unix.NLM_F_CREATE|unix.NLM_F_EXCL, unix.AF_INET,
		attribute(1, []byte{6}), attribute(2, text("trial")), attribute(3, text("hash:ip")),
		attribute(4, []byte{0}), attribute(5, []byte{unix.AF_INET}), nested(7)))
	return err
}

// tryNFTables makes a table, a chain and a rule of one expression, with what
// the expression needs before it, in one transaction.
func tryNFTables(expression string, before []message, attributes ...[]byte) func() error {
	return func() error {
		const ack = unix.NLM_F_ACK | unix.NLM_F_CREATE
		batch := []message{
			nfBatch(unix.NFNL_MSG_BATCH_BEGIN),
			nft(unix.NFT_MSG_NEWTABLE, ack, attribute(unix.NFTA_TABLE_NAME, text("trial"))),
			nft(unix.NFT_MSG_NEWCHAIN, ack, attribute(unix.NFTA_CHAIN_TABLE, text("trial")), attribute(unix.NFTA_CHAIN_NAME, text("trial"))),
		}
		batch = append(batch, before...)
		element := nested(unix.NFTA_LIST_ELEM, attribute(unix.NFTA_EXPR_NAME, text(expression)), nested(unix.NFTA_EXPR_DATA, attributes...))
		batch = append(batch,
			nft(unix.NFT_MSG_NEWRULE, ack|unix.NLM_F_APPEND, attribute(unix.NFTA_RULE_TABLE, text("trial")),
				attribute(unix.NFTA_RULE_CHAIN, text("trial")), nested(unix.NFTA_RULE_EXPRESSIONS, element)),
			nfBatch(unix.NFNL_MSG_BATCH_END))
		if err := talk(unix.NETLINK_NETFILTER, batch...); err != nil {
			return err
		}
		err := talk(unix.NETLINK_NETFILTER, nfBatch(unix.NFNL_MSG_BATCH_BEGIN),
			nft(unix.NFT_MSG_DELTABLE, unix.NLM_F_ACK, attribute(unix.NFTA_TABLE_NAME, text("trial"))),
			nfBatch(unix.NFNL_MSG_BATCH_END))
		return err
	}
}

func nft(command, flags uint16, attributes ...[]byte) message {
	return nfMessage(unix.NFNL_SUBSYS_NFTABLES, command, flags, unix.NFPROTO_INET, attributes...)
}

func nfBatch(kind uint16) message {
	return message{kind, 0, append([]byte{unix.AF_UNSPEC, 0}, beShort(unix.NFNL_SUBSYS_NFTABLES)...)}
}

// flowtable is a flow table without devices at the ingress hook
// (linux/netfilter/nf_tables.h, nft_flowtable_attributes and _hook_attributes).
func flowtable() message {
	const table, name, hook, hookNumber, hookPriority = 1, 2, 3, 1, 2
	return nft(unix.NFT_MSG_NEWFLOWTABLE, unix.NLM_F_ACK|unix.NLM_F_CREATE,
		attribute(table, text("trial")), attribute(name, text("flows")),
		nested(hook, attribute(hookNumber, beWord(0)), attribute(hookPriority, beWord(0))))
}

// tryIPTables asks for what the two flavours of iptables stand on: nft_compat
// first, because asking for a table of the old flavour makes it.
func tryIPTables() error {
	nfErr := compat("comment", 0)
	if nfErr == nil {
		nfErr = compat("MASQUERADE", 1)
	}
	if nfErr == nil {
		return nil
	}
	for _, table := range []string{"filter", "nat"} {
		if err := legacyTable(table); err != nil {
			return errors.Join(fmt.Errorf("nft_compat: %w", nfErr), fmt.Errorf("table %s of iptables-legacy: %w", table, err))
		}
	}
	return nil
}

// compat asks nft_compat for a match (kind 0) or target (kind 1) of xtables.
func compat(name string, kind uint32) error {
	err := talk(unix.NETLINK_NETFILTER, nfMessage(unix.NFNL_SUBSYS_NFT_COMPAT, 0, unix.NLM_F_ACK, unix.AF_INET,
		attribute(1, text(name)), attribute(2, beWord(0)), attribute(3, beWord(kind))))
	return err
}

// legacyTable asks for a table's layout (IPT_SO_GET_INFO, struct ipt_getinfo).
func legacyTable(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_RAW)
	if err != nil {
		return fmt.Errorf("opening a raw socket: %w", err)
	}
	defer func() { _ = unix.Close(fd) }() // nothing was buffered
	const getInfo = 64
	var info [84]byte
	copy(info[:], name)
	size := uint32(len(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_IP, getInfo,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// tryBridgeNetfilter looks for the settings that br_netfilter brings. Nothing
// loads it by itself, and it changes every bridge, so it is not loaded here.
func tryBridgeNetfilter() error {
	_, err := os.Stat("/proc/sys/net/bridge/bridge-nf-call-iptables")
	if errors.Is(err, unix.ENOENT) {
		return &absentError{"net.bridge.bridge-nf-call-iptables is not there"}
	}
	return err
}

// absentError is a plain no.
type absentError struct{ reason string }

func (e *absentError) Error() string { return e.reason }
