package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/stage"
)

const (
	// scalingInterval is how exactly it is known when a Service began to carry
	// connections. Where that takes a minute, the attempts are still few.
	scalingInterval = 10 * time.Millisecond
	// scalingSettled is how many attempts in a row show it: 0.1 s of them.
	scalingSettled = 10
	// scalingRest is how long nothing changes before one more Service is made,
	// and before it is removed. kube-proxy waits for a second after a sync
	// (minSyncPeriod): without rest it would be that which is measured.
	scalingRest = 2 * time.Second
	// scalingLast is the Service that is made after all others. It carries no
	// load: an attempt that comes too early leaves an entry of connection
	// tracking without translation, which swallows what comes from its port
	// later.
	scalingLast = "scaling-last"
	// directProbe is the server without any Service.
	directProbe = "the server's own address"
)

// settling are the moments of making all Services, by our clock.
type settling struct {
	Begun   time.Time `json:"begun"`   // the first API call
	Created time.Time `json:"created"` // the API has them all
	Carried time.Time `json:"carried"` // the one made after them carries connections
	Sliced  time.Time `json:"sliced"`  // the API is seen to have all EndpointSlices
	Clock   clock     `json:"clock"`
}

// window is the time in which the Services were made.
func (t settling) window() sample.Window { return sample.Window{Start: t.Begun, End: t.Carried} }

// serviceRepeat are the moments of one more Service, by our clock.
type serviceRepeat struct {
	Created apiCall   `json:"created"`
	Carried time.Time `json:"carried"`
	Deleted apiCall   `json:"deleted"`
	Gone    time.Time `json:"gone"` // when it carries connections no more
}

// settle makes the Services, waits until they carry connections, and makes one
// more, again and again. That all EndpointSlices were there before shows that
// the last of these stands for all: a proxy learns of changes in their order.
func (s *serviceScaling) settle(ctx context.Context) (f stage.Figures, facts map[string]string, err error) {
	w, end, err := s.openWatcher(ctx)
	if err != nil {
		return stage.Figures{}, nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	times, ms, err := s.createAll(ctx, w)
	if err != nil {
		return stage.Figures{}, nil, err
	}
	repeats, err := s.repeat(ctx, w)
	if err != nil {
		return stage.Figures{}, nil, err
	}
	err = errors.Join(s.KeepJSON("settling.json", times), s.KeepJSON("repeats.json", repeats))
	f = s.settlingFigures(times, ms)
	f.Merge(repeatFigures(repeats))
	return f, times.facts(len(s.names), len(repeats)), err
}

// openWatcher serves the Services' port at the server and starts a watcher at
// the client. The function that it returns ends both, and leaves the port to
// the load.
func (s *serviceScaling) openWatcher(ctx context.Context) (*watcher, func() error, error) {
	listener, _, err := listen(ctx, s.Bench, s.pair.Server, probe.ListenSpec{TCP: []int{rrPort}})
	if err != nil {
		return nil, nil, err
	}
	w, err := startWatcher(ctx, s.Bench, s.pair.Client, probe.WatchSpec{
		Interval: scalingInterval, Timeout: watchTimeout, OnDemand: true,
		Targets: []probe.WatchTarget{tcpTarget(directProbe, s.pair.Server.IP, rrPort)},
	})
	if err != nil {
		listener.Close()
		return nil, nil, err
	}
	end := func() error {
		w.Close()
		return listener.End()
	}
	direct := s.state(directProbe, true)
	if _, err := w.mustSettle("by the server's own address", direct); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return w, end, nil
}

// state is that a Service carries connections, or does not. It waits as long as
// the slowest proxy needs.
func (s *serviceScaling) state(name string, carried bool) probe.WatchAwait {
	return probe.WatchAwait{Want: map[string]bool{name: carried}, Settle: scalingSettled, Limit: stage.SetPatience(len(s.names))}
}

// createAll makes the Services while the machines are sampled, and one more
// when the API has all of them, which is gone in the end.
func (s *serviceScaling) createAll(ctx context.Context, w *watcher) (settling, stage.Machines, error) {
	evidence := s.EvidenceIn("settling")
	expected := time.Duration(len(s.names)) * 10 * time.Millisecond
	sampling, err := evidence.StartSampling(ctx, expected, s.pair.Client, s.pair.Server)
	if err != nil {
		return settling{}, stage.Machines{}, err
	}
	times, err := s.create(ctx, w)
	if err != nil {
		sampling.Cancel()
		return settling{}, stage.Machines{}, err
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return settling{}, stage.Machines{}, err
	}
	_, ms := evidence.MeasureWindow("", times.window(), series)
	if _, _, err := s.carriesNoMore(ctx, w, scalingLast); err != nil {
		return settling{}, stage.Machines{}, err
	}
	if err := s.set.AwaitSlices(ctx, len(s.names)); err != nil {
		return settling{}, stage.Machines{}, err
	}
	times.Sliced = time.Now().UTC()
	return times, ms, nil
}

func (s *serviceScaling) create(ctx context.Context, w *watcher) (settling, error) {
	times := settling{Begun: time.Now().UTC(), Clock: w.clock}
	var err error
	if s.addresses, err = s.set.CreateAll(ctx, s.names, s.ports); err != nil {
		return times, err
	}
	times.Created = time.Now().UTC()
	address, err := s.set.Create(ctx, scalingLast)
	if err != nil {
		return times, err
	}
	times.Carried, err = s.carries(w, scalingLast, address)
	return times, err
}

// carries returns when a new Service began to carry connections. A watcher
// that sees it do so from the first attempt on says when that was.
func (s *serviceScaling) carries(w *watcher, name, address string) (time.Time, error) {
	a := s.state(name, true)
	if err := w.askFor(tcpTarget(name, address, rrPort), a); err != nil {
		return time.Time{}, err
	}
	return s.seen(w, "after it was made", a)
}

// seen returns when a state that was asked for began.
func (s *serviceScaling) seen(w *watcher, when string, a probe.WatchAwait) (time.Time, error) {
	watched, err := w.answer()
	if err != nil {
		return time.Time{}, err
	}
	if !watched.Settled {
		return time.Time{}, &unsettledError{when, w.Where, a, watched}
	}
	return w.shown(watched, a.Want), nil
}

// repeat makes one more Service, and removes it, after a rest.
func (s *serviceScaling) repeat(ctx context.Context, w *watcher) ([]serviceRepeat, error) {
	repeats := make([]serviceRepeat, s.cell.Parameters.Integer(scalingRepeats.Name))
	var took time.Duration
	for i := range repeats {
		if err := rest(ctx, took); err != nil {
			return nil, err
		}
		var err error
		if repeats[i], err = s.oneMore(ctx, w, fmt.Sprintf("scaling-more-%d", i+1)); err != nil {
			return nil, err
		}
		took = repeats[i].Gone.Sub(repeats[i].Deleted.Begun)
	}
	return repeats, nil
}

// rest waits after a change that took so long to act: a sync of many rules may
// be followed by another as long.
func rest(ctx context.Context, took time.Duration) error { return sleep(ctx, max(scalingRest, took)) }

// oneMore makes a Service and removes it.
func (s *serviceScaling) oneMore(ctx context.Context, w *watcher, name string) (r serviceRepeat, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, s.set.Remove(ctx, name))
		}
	}()
	r.Created.Begun = time.Now().UTC()
	address, err := s.set.Create(ctx, name)
	r.Created.Done = time.Now().UTC()
	if err != nil {
		return r, err
	}
	if r.Carried, err = s.carries(w, name, address); err != nil {
		return r, err
	}
	if err := rest(ctx, r.Carried.Sub(r.Created.Begun)); err != nil {
		return r, err
	}
	r.Deleted, r.Gone, err = s.carriesNoMore(ctx, w, name)
	return r, err
}

// carriesNoMore removes a Service that the watcher knows and returns when it
// ceased to carry connections.
func (s *serviceScaling) carriesNoMore(ctx context.Context, w *watcher, name string) (deleted apiCall, gone time.Time, err error) {
	a := s.state(name, false)
	if err := w.ask(a); err != nil {
		return deleted, gone, err
	}
	deleted.Begun = time.Now().UTC()
	err = s.set.Remove(ctx, name)
	deleted.Done = time.Now().UTC()
	if err != nil {
		return deleted, gone, err
	}
	gone, err = s.seen(w, "after it was removed", a)
	return deleted, gone, err
}

// remove takes all Services away and returns when the cluster has forgotten
// them: the next trial is not to be measured on their remains. The last one
// goes last, and stands for all when it carries connections no more.
func (s *serviceScaling) remove(ctx context.Context) (f stage.Figures, err error) {
	w, end, err := s.openWatcher(ctx)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, end()) }()
	last := len(s.names) - 1
	if _, err := s.carries(w, s.names[last], s.addresses[last]); err != nil {
		return f, err
	}
	begun := time.Now()
	if err := s.set.Remove(ctx, s.names[:last]...); err != nil {
		return f, err
	}
	_, gone, err := s.carriesNoMore(ctx, w, s.names[last])
	if err != nil {
		return f, err
	}
	f.Add(servicesRemoved, gone.Sub(begun).Seconds())
	return f, s.set.AwaitGone(ctx, len(s.names))
}

// forgotten returns when the cluster has acted upon the removal of all Services,
// of which a trial that failed knows too little to watch one: one more, made when
// the API has none of them, comes after them at every proxy. It waits no longer
// than the slowest proxy needs, also where the time of the trial is over.
func (s *serviceScaling) forgotten(ctx context.Context) (err error) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), stage.SetPatience(len(s.names)))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})
	defer stop()
	if err := s.set.AwaitGone(within, len(s.names)); err != nil {
		return err
	}
	w, end, err := s.openWatcher(within)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	_, err = s.oneMore(within, w, "scaling-after")
	return err
}
