package stage

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// Greeting asks addresses for a reply from a load pod, again and again until
// they give one.
type Greeting struct{ session *Session }

// Reply is what came of an address.
type Reply struct {
	probe.Greeted
	At time.Time // when it was known here, by our clock
}

// OpenGreeting starts the program in the pod; addresses can come later, one by
// one.
func OpenGreeting(ctx context.Context, c *cluster.Cluster, from cluster.Pod, spec probe.GreetSpec) (*Greeting, error) {
	s, err := Open(ctx, "greeting from "+from.Name, ProbeInPod(c, from), "greet", spec)
	if err != nil {
		return nil, err
	}
	var ready struct{}
	if err := s.Read(probe.FrameReady, &ready); err != nil {
		s.Close()
		return nil, err
	}
	return &Greeting{s}, nil
}

// Greet begins with an address. What goes wrong, Reply tells.
func (g *Greeting) Greet(t probe.GreetTarget) error {
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return g.session.Send(append(line, '\n'))
}

// Reply waits for what comes of the next address, in no order.
func (g *Greeting) Reply() (Reply, error) {
	var r Reply
	err := g.session.Read(probe.FrameGreeted, &r.Greeted)
	r.At = time.Now()
	return r, err
}

// Close ends it.
func (g *Greeting) Close() { g.session.Close() }
