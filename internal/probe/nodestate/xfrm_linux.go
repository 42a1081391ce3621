package nodestate

import (
	"context"
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// readXFRM lists IPsec states and policies. A kernel that cannot have any has
// none.
func readXFRM(context.Context, node) ([]found, error) {
	states, err := dumped(func() ([]netlink.XfrmState, error) { return netlink.XfrmStateList(netlink.FAMILY_ALL) })
	if errors.Is(err, unix.EPROTONOSUPPORT) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []found
	for _, s := range states {
		name := fmt.Sprintf("state %s to %s spi %#x mode %s", s.Src, s.Dst, uint32(s.Spi), s.Mode)
		all = append(all, found{Item{XFRM, name, ""}, func() error { return gone(netlink.XfrmStateDel(&s)) }})
	}
	policies, err := dumped(func() ([]netlink.XfrmPolicy, error) { return netlink.XfrmPolicyList(netlink.FAMILY_ALL) })
	if err != nil {
		return all, err
	}
	for _, p := range policies {
		name := fmt.Sprintf("policy %s %s to %s priority %d", p.Dir, orAll(p.Src), orAll(p.Dst), p.Priority)
		all = append(all, found{Item{XFRM, name, ""}, func() error { return gone(netlink.XfrmPolicyDel(&p)) }})
	}
	return all, nil
}
