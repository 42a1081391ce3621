package nodestate

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
)

// removalOrder takes away what refers to others before what is referred to.
var removalOrder = []Kind{
	NFTable, IPSet, Program, Qdisc, Pin, Route, PodRoute, Rule, Link, PodLink, XFRM, Mount,
	CNIConfig, CNIBinary, SysctlFile, Path,
}

// passes bounds how often what is left is tried again: one removal may make
// another possible.
const passes = 3

// Clean takes away what a plugin is known to leave, except what was there
// before, and puts settings back. Doing it again changes nothing. Without a
// state from before, pass the zero State: then all that the plugin is known to
// leave goes. Root is where the node's files lie, "/" on the node itself.
func Clean(ctx context.Context, root string, before State, l Leftovers) Cleaned {
	n := node{root, l.Files}
	var c Cleaned
	items, now := read(ctx, n)
	for range passes {
		doomed, changed := Leftover(before, now, l), ChangedSysctls(before, now)
		if len(doomed) == 0 && len(changed) == 0 {
			break
		}
		c.Failed = remove(ctx, n, items, doomed)
		c.Failed = append(c.Failed, restore(changed)...)
		items, now = read(ctx, n)
		c.note(doomed, changed, now)
	}
	c.After = now
	return c
}

// note says what of the doomed is gone and which settings are as they were.
// Rules go with their chain without a word of their own.
func (c *Cleaned) note(doomed, changed []Item, now State) {
	for _, i := range doomed {
		if !now.Has(i.Kind, i.Name) && !inChainOf(i, doomed) {
			c.Done = append(c.Done, "removed "+i.String())
		}
	}
	for _, i := range changed {
		if slices.Contains(now.Items, i) {
			c.Done = append(c.Done, fmt.Sprintf("set %s back to %s", i.Name, i.Detail))
		}
	}
}

func remove(ctx context.Context, n node, items []found, doomed []Item) (failed []string) {
	if err := restoreLocalRule(doomed); err != nil {
		return []string{err.Error()} // without it the node would not know its own addresses
	}
	filters := removal(doomed)
	for _, tool := range slices.Sorted(maps.Keys(filters)) {
		if _, err := n.run(ctx, filters[tool], tool+"-restore", "--noflush", "-w", "5"); err != nil {
			failed = append(failed, fmt.Sprintf("rules of %s: %v", tool, err))
		}
	}
	for _, kind := range removalOrder {
		for _, f := range items {
			if f.Kind != kind || f.remove == nil || !slices.Contains(doomed, f.Item) {
				continue
			}
			if err := f.remove(); err != nil {
				failed = append(failed, fmt.Sprintf("%s: %v", f.Item, err))
			}
		}
	}
	return failed
}

func restore(settings []Item) (failed []string) {
	for _, i := range settings {
		if err := os.WriteFile(sysctlFile(i.Name), []byte(i.Detail), 0o644); err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", i, err))
		}
	}
	return failed
}
