package lab

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/cnibench/cnibench/internal/lab/node"
)

// PeerError says why a lab cannot be joined to another.
type PeerError struct{ Reason, Remedy string }

func (e *PeerError) Error() string { return e.Reason }

// Hint says how to go on.
func (e *PeerError) Hint() string { return e.Remedy }

// joinable returns the supervisor of the lab that another is to be joined to,
// and the number of addresses that no lab with it has; nobody's for a lab on
// its own. The caller holds the lock.
func joinable(c Config) (*Process, int, error) {
	if c.Peer == "" {
		return nil, 0, nil
	}
	if slices.Contains(c.network().families(), IPv6) {
		return nil, 0, &PeerError{"labs with IPv6 cannot be joined: their switches do not find each other by it", "leave --ip-family or --peer out"}
	}
	records, err := readRecords()
	if err != nil {
		return nil, 0, err
	}
	peer, number, err := choosePeer(c.Peer, records)
	if err != nil {
		return nil, 0, err
	}
	if !slices.Equal(peer.Config.network().families(), c.network().families()) {
		return nil, 0, &PeerError{fmt.Sprintf("lab %s has addresses of another family", c.Peer), "give both labs the same --ip-family"}
	}
	return peer.Supervisor, number, nil
}

// readRecords reads what is known of all labs.
func readRecords() ([]record, error) {
	names, err := recordedNames()
	if err != nil {
		return nil, err
	}
	var records []record
	for _, name := range names {
		r, err := readRecord(name)
		if errors.Is(err, ErrNotFound) {
			continue // being made or being removed
		}
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// choosePeer finds the lab among those that there are. All labs that are
// joined are joined to one of them, whose number is 0: routes from any to any
// other lead over its switch.
func choosePeer(name string, records []record) (*record, int, error) {
	i := slices.IndexFunc(records, func(r record) bool { return r.Config.Name == name })
	if i < 0 {
		return nil, 0, &PeerError{fmt.Sprintf("there is no lab %s to join", name), "`cnibench lab list` shows which there are"}
	}
	peer := &records[i]
	if hub := peer.Config.Peer; hub != "" {
		return nil, 0, &PeerError{fmt.Sprintf("lab %s is itself joined to %s", name, hub), "join " + hub + ", if it is still there: all that are joined to it reach each other"}
	}
	if peer.Supervisor == nil || !peer.Supervisor.Alive() {
		return nil, 0, &PeerError{fmt.Sprintf("lab %s does not run", name), "wait until it is up, or start it"}
	}
	taken := map[int]bool{0: true}
	for _, r := range records {
		if r.Config.Peer == name {
			taken[r.Config.Network] = true
		}
	}
	for number := range maxNetworks {
		if !taken[number] {
			return peer, number, nil
		}
	}
	return nil, 0, &PeerError{fmt.Sprintf("%d labs are joined to %s, which is all there are addresses for", maxNetworks-1, name), "end one of them"}
}

// openPeer opens the network namespace of the lab that this one is joined to.
func (l *Lab) openPeer() (*os.File, error) {
	peer := l.record.PeerSupervisor
	f, err := os.Open("/proc/" + strconv.Itoa(peer.PID) + "/ns/net")
	if err == nil && !peer.Alive() { // whose pid another process may have by now
		err = errors.Join(errors.New("it has ended"), f.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("entering the network of lab %s: %w", l.record.Config.Peer, err)
	}
	return f, nil
}

// peer is how the lab's switch is joined to another's; nil where it is not.
func (c Config) peer() *node.Peer {
	if c.Peer == "" {
		return nil
	}
	own, hub := c.network(), network{0, c.IPFamily}
	// What is not its own lies beyond the link: the hub, and all that are joined
	// to it.
	here, there := node.LinkEnd{Name: "peer-0"}, node.LinkEnd{Name: fmt.Sprintf("peer-%d", c.Network)}
	for i := range own.families() {
		here.Routes = append(here.Routes, node.Route{To: own.allNodes()[i], Via: hub.host(bridgeHost)[i].Addr()})
		there.Routes = append(there.Routes, node.Route{To: own.nodes()[i], Via: own.host(bridgeHost)[i].Addr()})
	}
	return &node.Peer{Here: here, There: there}
}

// Peers names the labs that this one is joined to and that still run.
func (l *Lab) Peers() ([]string, error) {
	records, err := readRecords()
	if err != nil {
		return nil, err
	}
	return l.record.peers(records), nil
}

// peers finds those among all labs by their supervisors: a later lab may have
// the name of one that has ended.
func (r record) peers(all []record) []string {
	var names []string
	for _, other := range all {
		if r.joined(other) || other.joined(r) {
			names = append(names, other.Config.Name)
		}
	}
	return names
}

// joined tells whether the lab was joined to another that still runs.
func (r record) joined(hub record) bool {
	return r.PeerSupervisor != nil && hub.Supervisor != nil && *r.PeerSupervisor == *hub.Supervisor && hub.Supervisor.Alive()
}
