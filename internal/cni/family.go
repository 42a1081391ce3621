package cni

import (
	"fmt"

	"helm.sh/helm/v4/pkg/chart/common/util"

	"github.com/cnibench/cnibench/internal/cluster"
)

// forFamily is the values for a cluster with the families of addresses that it
// has. Null takes a value away, as in Helm.
func (s Source) forFamily(site cluster.Site) map[string]any {
	switch {
	case site.DualStack():
		return util.MergeTables(copyTable(s.DualStack), copyTable(s.Values))
	case site.IPv6Only():
		return util.MergeTables(copyTable(s.IPv6), copyTable(s.Values))
	}
	return s.Values
}

// Families are those of a cluster's addresses: a [cluster.Site] where the
// cluster is there, a plan's shape of it before.
type Families interface {
	DualStack() bool
	IPv6Only() bool
}

// missingFamily says that an entry is not for a cluster's families of
// addresses; empty: it is.
func missingFamily(e Entry, site Families) string {
	const without = "%s has no values for clusters with %s (install.%s in the catalog)"
	switch {
	case e.None():
	case site.DualStack() && e.Install.DualStack == nil:
		return fmt.Sprintf(without, e.Name, "IPv4 and IPv6", "dualStack")
	case site.IPv6Only() && e.Install.IPv6 == nil:
		return fmt.Sprintf(without, e.Name, "IPv6 alone", "ipv6")
	}
	return ""
}

// outerIPv6 is what an IPv6 header is longer than one of IPv4 (RFC 8200).
const outerIPv6 = 20

// At returns the entry as it is on a site: a tunnel between nodes that have
// IPv6 alone is by that much larger.
func (e Entry) At(site cluster.Site) Entry {
	if site.IPv6Only() && e.Encapsulation.Bytes > 0 {
		e.Encapsulation.Bytes += outerIPv6
	}
	return e
}
