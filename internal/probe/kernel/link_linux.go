package kernel

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// Names of the interfaces of trials; there are no others in their namespace.
const (
	trialLink = "trial"
	lowerLink = "lower"
)

// addLink makes an interface of a kind; data are its kind's own attributes.
func addLink(name, kind string, lower int, data ...[]byte) error {
	info := [][]byte{attribute(unix.IFLA_INFO_KIND, text(kind))}
	if len(data) > 0 {
		info = append(info, nested(unix.IFLA_INFO_DATA, data...))
	}
	attributes := [][]byte{attribute(unix.IFLA_IFNAME, text(name)), nested(unix.IFLA_LINKINFO, info...)}
	if lower > 0 {
		attributes = append(attributes, attribute(unix.IFLA_LINK, word(uint32(lower))))
	}
	err := talk(unix.NETLINK_ROUTE, message{
		unix.RTM_NEWLINK, unix.NLM_F_ACK | unix.NLM_F_CREATE | unix.NLM_F_EXCL,
		append(linkHeader(0), join(attributes...)...),
	})
	return err
}

func deleteLink(name string) error {
	err := talk(unix.NETLINK_ROUTE, message{
		unix.RTM_DELLINK, unix.NLM_F_ACK, append(linkHeader(0), attribute(unix.IFLA_IFNAME, text(name))...),
	})
	return err
}

// linkHeader is struct ifinfomsg.
func linkHeader(index int) []byte {
	b := make([]byte, unix.SizeofIfInfomsg)
	native.PutUint32(b[4:], uint32(index))
	return b
}

// tryLink makes an interface and removes it.
func tryLink(kind string, data ...[]byte) func() error {
	return func() error {
		if err := addLink(trialLink, kind, 0, data...); err != nil {
			return err
		}
		return deleteLink(trialLink)
	}
}

// onLower runs a trial that needs an interface below it.
func onLower(try func(index int) error) func() error {
	return func() error {
		if err := addLink(lowerLink, "veth", 0); err != nil {
			return &needError{"veth", err}
		}
		defer func() { _ = deleteLink(lowerLink) }() // the namespace takes what stays
		lower, err := net.InterfaceByName(lowerLink)
		if err != nil {
			return &needError{"veth", err}
		}
		return try(lower.Index)
	}
}

// needError says that a trial could not begin.
type needError struct {
	what string
	err  error
}

func (e *needError) Error() string { return fmt.Sprintf("the trial needs a %s: %v", e.what, e.err) }

// tryUpper makes an interface that stands on another, and removes it.
func tryUpper(kind string) func() error {
	return onLower(func(index int) error {
		if err := addLink(trialLink, kind, index); err != nil {
			return err
		}
		return deleteLink(trialLink)
	})
}

// tunnelEnds are IFLA_IPTUN_LOCAL and _REMOTE, or the two of GRE. Without them
// a tunnel is the one that the module makes by itself. (RFC 5737 addresses)
func tunnelEnds(local, remote uint16) [][]byte {
	return [][]byte{attribute(local, []byte{192, 0, 2, 1}), attribute(remote, []byte{192, 0, 2, 2})}
}

// tryQdisc attaches a queueing discipline; it goes with its interface.
func tryQdisc(kind string, handle, parent uint32, options []byte) func() error {
	return onLower(func(index int) error {
		header := make([]byte, 20) // struct tcmsg
		native.PutUint32(header[4:], uint32(index))
		native.PutUint32(header[8:], handle)
		native.PutUint32(header[12:], parent)
		payload := append(header, attribute(unix.TCA_KIND, text(kind))...)
		if options != nil {
			payload = append(payload, attribute(unix.TCA_OPTIONS, options)...)
		}
		err := talk(unix.NETLINK_ROUTE, message{
			unix.RTM_NEWQDISC, unix.NLM_F_ACK | unix.NLM_F_CREATE | unix.NLM_F_EXCL, payload,
		})
		return err
	})
}
