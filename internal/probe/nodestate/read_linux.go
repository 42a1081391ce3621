package nodestate

import (
	"context"
	"sync"
)

// found is an item together with what takes it away.
type found struct {
	Item
	remove func() error // nil: it goes with another item, or is removed with others of its kind
}

// node is where state is read and changed.
type node struct {
	root  string   // of its file system, "/" unless seen from a container
	paths []string // that a plugin is known to make, with * for any text
}

// reader looks at one part of a node.
type reader struct {
	what string
	read func(context.Context, node) ([]found, error)
}

// readers look at every part that a plugin may change.
func readers() []reader {
	all := []reader{
		{"links and addresses", readLinks}, {"routes", readRoutes}, {"routing rules", readRules}, {"xfrm entries", readXFRM},
		{"qdiscs and their programs", readQdiscs}, {"tcx programs", readTCX}, {"programs of control groups", readCgroupPrograms},
		{"nftables", readNFTables}, {"ipsets", readIPSets}, {"files", readFiles}, {"bpf pins", readPins},
		{"mounts", readMounts}, {"sysctls", readSysctls}, {"tunnel ports", readTunnelPorts},
	}
	for _, tool := range iptablesTools {
		all = append(all, reader{tool, func(ctx context.Context, n node) ([]found, error) { return readIPTables(ctx, n, tool) }})
	}
	return all
}

// Read looks at the node whose network namespace this process is in and whose
// files lie below root. Paths are those that a plugin is known to make.
func Read(ctx context.Context, root string, paths []string) State {
	_, s := read(ctx, node{root, paths})
	return s
}

func read(ctx context.Context, n node) ([]found, State) {
	all := readers()
	parts, errs := make([][]found, len(all)), make([]error, len(all))
	var group sync.WaitGroup
	for i, r := range all {
		group.Go(func() { parts[i], errs[i] = r.read(ctx, n) })
	}
	group.Wait()
	var items []found
	var s State
	for i, r := range all {
		if errs[i] != nil {
			s.Unread = append(s.Unread, Unread{r.what, errs[i].Error()})
		}
		items = append(items, parts[i]...)
	}
	for _, f := range items {
		s.Items = append(s.Items, f.Item)
	}
	sortItems(s.Items)
	return items, s
}
