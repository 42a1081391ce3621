package rtt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"
)

// observer is the programs of one device, with maps of their own.
type observer struct {
	place   Place
	objects objects
	xdp     *ebpf.Program // nil where it is not asked for or cannot be
	memory  *ebpf.Memory  // of the histograms
	flows   []Flow
	detach  []func() error
	// last holds the counts at the end of the last interval, by map index.
	last []uint64
	raw  []byte
	at   time.Time
	seen [][]Interval // by flow
}

// objects is what is loaded for a device.
type objects struct {
	programsMaps
	TcIngress *ebpf.Program `ebpf:"tc_ingress"`
	TcEgress  *ebpf.Program `ebpf:"tc_egress"`
}

func (o *objects) Close() error {
	return errors.Join(o.programsMaps.Close(), o.TcIngress.Close(), o.TcEgress.Close())
}

// observe loads the programs for a device of the current network namespace and
// attaches them.
func observe(tap Tap, device device, spec Spec) (*observer, error) {
	o := &observer{place: Place{Tap: tap.Name, Interface: device.name}, flows: spec.flows()}
	if err := o.load(tap, device, spec); err != nil {
		return nil, fmt.Errorf("loading programs for %s: %w", device.name, err)
	}
	if err := o.attach(device); err != nil {
		return nil, errors.Join(fmt.Errorf("attaching programs to %s: %w", device.name, err), o.close())
	}
	return o, nil
}

func (o *observer) load(tap Tap, device device, spec Spec) error {
	if err := rlimit.RemoveMemlock(); err != nil {
		return err
	}
	collection, err := loadPrograms()
	if err != nil {
		return err
	}
	if err := configure(collection, device, spec); err != nil {
		return err
	}
	if err := collection.LoadAndAssign(&o.objects, nil); err != nil {
		return err
	}
	if tap.XDP {
		o.loadXDP(collection)
	}
	if o.memory, err = o.objects.Histogram.Memory(); err != nil {
		return errors.Join(err, o.objects.Close())
	}
	values := len(o.flows) * 2 * Buckets
	o.last, o.raw = make([]uint64, values), make([]byte, 8*values)
	o.seen = make([][]Interval, len(o.flows))
	o.at = time.Now()
	return nil
}

// loadXDP loads the program with the maps of the others. Kernels before 5.18
// cannot, and tc has to do.
func (o *observer) loadXDP(collection *ebpf.CollectionSpec) {
	m := &o.objects.programsMaps
	var only struct {
		XDP *ebpf.Program `ebpf:"xdp_ingress"`
	}
	err := collection.LoadAndAssign(&only, &ebpf.CollectionOptions{MapReplacements: map[string]*ebpf.Map{
		programsMapNewest: m.Newest, programsMapWaiting: m.Waiting, programsMapHistogram: m.Histogram,
		programsMapCounts: m.Counts, programsMapTotals: m.Totals,
	}})
	if err != nil {
		o.place.Note = fmt.Sprintf("no XDP: %v", err)
		return
	}
	o.xdp = only.XDP
}

// configure writes a specification into programs that are not loaded yet.
func configure(collection *ebpf.CollectionSpec, device device, spec Spec) error {
	flows := spec.flows()
	rules := make([]programsRule, MaxFlows)
	for i, f := range flows {
		r, err := f.rule(uint32(i))
		if err != nil {
			return err
		}
		rules[i].Label = r.label
		rules[i].Here.Network, rules[i].Here.Mask = words(r.here.network), words(r.here.mask)
		rules[i].Here.FirstPort, rules[i].Here.LastPort = r.here.firstPort, r.here.lastPort
		rules[i].There.Network, rules[i].There.Mask = words(r.there.network), words(r.there.mask)
		rules[i].There.FirstPort, rules[i].There.LastPort = r.there.firstPort, r.there.lastPort
	}
	maps := collection.Maps
	maps[programsMapHistogram].MaxEntries = uint32(len(flows) * 2 * Buckets)
	maps[programsMapCounts].MaxEntries = uint32(len(flows))
	waiting := spec.Waiting
	if waiting == 0 {
		waiting = DefaultWaiting
	}
	maps[programsMapWaiting].MaxEntries = uint32(waiting)
	variables := collection.Variables
	return errors.Join(
		variables[programsVarRules].Set(rules),
		variables[programsVarRuleCount].Set(uint32(len(flows))),
		variables[programsVarLinkHeader].Set(uint32(device.linkHeader)),
	)
}

// words are 16 bytes as the programs see them, in memory's order.
func words(b [16]byte) (w [4]uint32) {
	for i := range w {
		w[i] = binary.NativeEndian.Uint32(b[4*i:])
	}
	return w
}

// cut ends an interval and begins the next.
func (o *observer) cut() error {
	now := time.Now()
	if _, err := o.memory.ReadAt(o.raw, 0); err != nil {
		return fmt.Errorf("reading histograms of %s: %w", o.place.Interface, err)
	}
	for i := range o.flows {
		interval := Interval{Start: o.at, End: now}
		for _, d := range []struct {
			direction Direction
			histogram *Histogram
		}{{Ingress, &interval.Ingress}, {Egress, &interval.Egress}} {
			first := (2*i + int(d.direction)) * Buckets
			for bucket := range Buckets {
				n := binary.NativeEndian.Uint64(o.raw[8*(first+bucket):])
				d.histogram.addBucket(bucket, n-o.last[first+bucket])
				o.last[first+bucket] = n
			}
		}
		o.seen[i] = append(o.seen[i], interval)
	}
	o.at = now
	return nil
}

// report reads what the programs have counted.
func (o *observer) report() (Observed, error) {
	r := Observed{Place: o.place}
	var totals []programsTotal
	if err := o.objects.Totals.Lookup(uint32(0), &totals); err != nil {
		return r, fmt.Errorf("reading totals of %s: %w", o.place.Interface, err)
	}
	for _, t := range totals { // one for each CPU
		r.Totals.Packets += t.Packets
		r.Totals.Segments += t.Segments
		r.Totals.Tunnelled += t.Tunnelled
		r.Totals.Truncated += t.Truncated
	}
	waiting, err := o.waiting()
	if err != nil {
		return r, err
	}
	for i, f := range o.flows {
		var counts []programsCount
		if err := o.objects.Counts.Lookup(uint32(i), &counts); err != nil {
			return r, fmt.Errorf("reading counts of %s: %w", o.place.Interface, err)
		}
		flow := FlowReport{Label: f.Label, Intervals: o.seen[i]}
		for _, c := range counts {
			flow.Segments += c.Segments
			flow.Unstamped += c.Unstamped
			flow.Stored += c.Stored
			flow.Matched += c.Matched
			flow.Refused += c.Refused
		}
		flow.Waiting = waiting[i]
		flow.Forgotten = flow.Stored - min(flow.Stored, flow.Matched+flow.Waiting)
		r.Flows = append(r.Flows, flow)
	}
	return r, nil
}

// waiting counts the timestamps that still wait, by flow.
func (o *observer) waiting() ([]uint64, error) {
	n := make([]uint64, len(o.flows))
	var key programsStamp
	var value programsDeparture
	all := o.objects.Waiting.Iterate()
	for all.Next(&key, &value) {
		if int(value.Label) < len(n) {
			n[value.Label]++
		}
	}
	// Entries that vanish while they are counted end it early: packets may
	// still pass.
	if err := all.Err(); err != nil && !errors.Is(err, ebpf.ErrIterationAborted) {
		return nil, fmt.Errorf("counting what waits at %s: %w", o.place.Interface, err)
	}
	return n, nil
}

// stop takes the programs off the device, the last first; what they counted
// remains readable.
func (o *observer) stop() error {
	var errs []error
	for i := len(o.detach) - 1; i >= 0; i-- {
		if err := o.detach[i](); err != nil && !errors.Is(err, unix.ENODEV) {
			errs = append(errs, fmt.Errorf("detaching programs from %s: %w", o.place.Interface, err))
		}
	}
	o.detach = nil
	return errors.Join(errs...)
}

func (o *observer) close() error { return errors.Join(o.stop(), o.objects.Close(), o.xdp.Close()) }
