package sample

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// groupReader sums the usage of the cgroups of a group.
type groupReader struct {
	members  []groupMember
	restarts uint64
}

// groupMember is a cgroup, and what was last seen of it.
type groupMember struct {
	path   string
	reader cgroupReader
	state  memberState
	opens  int
	cpu    float64
}

type memberState int

const (
	memberNew memberState = iota
	memberThere
	memberMissing
	memberUnreadable
)

func newGroupReader(version int, root string, paths []string, buf *procfs.Buffer) *groupReader {
	g := &groupReader{}
	for _, p := range paths {
		g.members = append(g.members, groupMember{path: p, reader: newCgroupReader(version, root, p, buf)})
	}
	return g
}

func (g *groupReader) close() {
	for i := range g.members {
		g.members[i].reader.close()
	}
}

// sample reads all cgroups. It tells fault what happened to them since the
// last time.
func (g *groupReader) sample(fault func(kind, detail string)) GroupSample {
	var s GroupSample
	for i := range g.members {
		m := &g.members[i]
		u, err := m.reader.usage()
		if err != nil {
			m.missed(err, fault)
			s.Missing = append(s.Missing, m.path)
			continue
		}
		if m.there(u, fault) {
			g.restarts++
		}
		if s.Usage != nil {
			u = s.Usage.plus(u)
		}
		s.Usage = &u
	}
	s.Restarts = g.restarts
	return s
}

func (m *groupMember) missed(err error, fault func(kind, detail string)) {
	state := memberUnreadable
	if errors.Is(err, fs.ErrNotExist) {
		state = memberMissing
	}
	if m.state == state {
		return
	}
	switch {
	case state == memberUnreadable:
		fault(FaultUnreadable, err.Error())
	case m.state == memberThere:
		fault(FaultCgroup, m.path+" went away")
	}
	m.state = state
}

// there tells whether the cgroup was replaced since it was last seen.
func (m *groupMember) there(u Usage, fault func(kind, detail string)) bool {
	before, opens, cpu := m.state, m.opens, m.cpu
	m.state, m.opens, m.cpu = memberThere, m.reader.opens(), u.CPU
	switch {
	case before == memberMissing, before == memberUnreadable:
		fault(FaultCgroup, m.path+" came")
	case before == memberThere && (m.opens != opens || u.CPU < cpu):
		fault(FaultCgroup, fmt.Sprintf("%s was replaced by another of its name", m.path))
		return true
	}
	return false
}
