package nodestate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Change is how an item differs between two states.
type Change string

// The changes.
const (
	New     Change = "new"
	Gone    Change = "gone"
	Changed Change = "changed"
	Unknown Change = "unknown" // it could not be looked at, before or after
)

// Difference is one item that is not as before. Of an unknown one, Name is what
// could not be looked at and After the reason.
type Difference struct {
	Kind   Kind
	Name   string
	Change Change
	Before string // detail
	After  string // detail
}

func (d Difference) String() string {
	switch d.Change {
	case New:
		return Item{d.Kind, d.Name, d.After}.String() + " is new"
	case Gone:
		return Item{d.Kind, d.Name, d.Before}.String() + " is gone"
	case Unknown:
		return fmt.Sprintf("%s could not be looked at: %s", d.Name, d.After)
	}
	return fmt.Sprintf("%s %s was %s and is %s", d.Kind, d.Name, orNothing(d.Before), orNothing(d.After))
}

func orNothing(s string) string {
	if s == "" {
		return "empty"
	}
	return s
}

// identity is what makes two items the same thing.
type identity struct {
	kind Kind
	name string
}

// Diff lists what is not as before, sorted by kind and name. Pod links and
// routes out of them may go at any time, with their pods, and are only listed
// when they are new. Of a tree of new files only the top is listed.
func Diff(before, after State) []Difference {
	a, b := index(before), index(after)
	var all []Difference
	for id, was := range a {
		is, still := b[id]
		switch {
		case !still && (id.kind == PodLink || id.kind == PodRoute):
		case !still:
			all = append(all, Difference{id.kind, id.name, Gone, was, ""})
		case was != is:
			all = append(all, Difference{id.kind, id.name, Changed, was, is})
		}
	}
	for id, is := range b {
		if _, known := a[id]; !known && !below(id, a, b) {
			all = append(all, Difference{id.kind, id.name, New, "", is})
		}
	}
	all = append(all, unread("before", before.Unread)...)
	all = append(all, unread("now", after.Unread)...)
	slices.SortFunc(all, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name), cmp.Compare(x.After, y.After))
	})
	return all
}

// index maps items to their details. Equal rules may be there several times:
// how often is part of the detail.
func index(s State) map[identity]string {
	details := map[identity][]string{}
	for _, i := range s.Items {
		id := identity{i.Kind, i.Name}
		details[id] = append(details[id], i.Detail)
	}
	joined := make(map[identity]string, len(details))
	for id, d := range details {
		slices.Sort(d)
		joined[id] = d[0]
		if len(d) > 1 {
			joined[id] = fmt.Sprintf("%d times %s", len(d), strings.Join(slices.Compact(d), "; "))
		}
	}
	return joined
}

// below tells whether a new pin lies in a directory that is new itself, or a
// new line in a table that is.
func below(id identity, before, after map[identity]string) bool {
	isNew := func(id identity) bool {
		_, was := before[id]
		_, is := after[id]
		return is && !was
	}
	switch id.kind {
	case Pin, Path:
		return isNew(identity{id.kind, path.Dir(id.name)})
	case NFLine:
		return isNew(identity{NFTable, tableOf(id.name)})
	}
	return false
}

func unread(when string, parts []Unread) []Difference {
	var all []Difference
	for _, u := range parts {
		all = append(all, Difference{Name: u.What, Change: Unknown, After: when + ": " + u.Reason})
	}
	return all
}
