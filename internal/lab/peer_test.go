package lab

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// running is the record of a lab whose supervisor is this test, joined to hub.
func running(t *testing.T, name string, hub *record, number int) record {
	t.Helper()
	self, err := Self()
	if err != nil {
		t.Skip(err) // no /proc
	}
	r := record{Config: Config{Name: name, Network: number}, Supervisor: &self}
	if hub != nil {
		r.Config.Peer, r.PeerSupervisor = hub.Config.Name, hub.Supervisor
		own := self
		own.Start++ // another process, which is not looked at
		r.Supervisor = &own
	}
	return r
}

func TestChoosePeer(t *testing.T) {
	hub := running(t, "hub", nil, 0)
	ended := running(t, "ended", nil, 0)
	ended.Supervisor = &Process{PID: 1}
	joined := []record{hub, ended, {Config: Config{Name: "starting"}}, running(t, "first", &hub, 1), running(t, "third", &hub, 3)}
	full := []record{hub}
	for i := 1; i < maxNetworks; i++ {
		full = append(full, running(t, string(rune('a'+i)), &hub, i))
	}
	for _, tt := range []struct {
		name   string
		all    []record
		number int
		want   string // part of the error
	}{
		{"hub", []record{hub}, 1, ""},
		{"hub", joined, 2, ""},
		{"first", joined, 0, "is itself joined to hub"},
		{"ended", joined, 0, "does not run"},
		{"starting", joined, 0, "does not run"},
		{"nobody", joined, 0, "there is no lab nobody"},
		{"hub", full, 0, "11 labs are joined"},
	} {
		peer, number, err := choosePeer(tt.name, tt.all)
		var refused *PeerError
		switch {
		case tt.want == "" && (err != nil || number != tt.number || peer.Config.Name != tt.name):
			t.Errorf("%s: %d %v, want %d", tt.name, number, err, tt.number)
		case tt.want != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) || refused.Hint() == ""):
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.want)
		}
	}
}

// Peers are those that were joined and run, not others of their names.
func TestPeers(t *testing.T) {
	hub := running(t, "hub", nil, 0)
	joined := running(t, "joined", &hub, 1)
	successor := hub
	successor.Supervisor = &Process{PID: 1, Start: 7}
	for _, tt := range []struct {
		of   record
		all  []record
		want []string
	}{
		{hub, []record{hub, joined}, []string{"joined"}},
		{joined, []record{hub, joined}, []string{"hub"}},
		{joined, []record{joined}, nil},
		{joined, []record{successor, joined}, nil},
		{successor, []record{successor, joined}, nil},
	} {
		if diff := cmp.Diff(tt.want, tt.of.peers(tt.all)); diff != "" {
			t.Errorf("peers of %s among %d: %s", tt.of.Config.Name, len(tt.all), diff)
		}
	}
}

// Either switch routes to the other lab over its end, by way of the other's
// address.
func TestPeerSpecification(t *testing.T) {
	if (Config{Name: "a"}).peer() != nil {
		t.Error("a lab alone has a peer")
	}
	c := Config{Name: "b", Peer: "a", Network: 3, IPFamily: DualStack}
	p, own, hub := c.peer(), c.network(), network{0, DualStack}
	for f, family := range own.families() {
		here, there := p.Here.Routes[f], p.There.Routes[f]
		if !here.To.Contains(hub.worker(1)[f].Addr()) || here.Via != hub.host(bridgeHost)[f].Addr() {
			t.Errorf("%s, here: %+v", family, here)
		}
		if there.To != own.nodes()[f] || there.Via != own.host(bridgeHost)[f].Addr() {
			t.Errorf("%s, there: %+v", family, there)
		}
	}
	const maxInterfaceName = 15
	if p.There.Name == (Config{Name: "c", Peer: "a", Network: 4}).peer().There.Name || len(p.There.Name) > maxInterfaceName {
		t.Errorf("names at the hub: %s", p.There.Name)
	}
}
