package rtt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// The tests below run the programs on frames made by hand (BPF_PROG_TEST_RUN),
// attached to nothing.

// tcp is a segment, with what the programs read of it.
type tcp struct {
	from, to     string // address and port
	flags        byte
	value, echo  uint32
	payload      int
	options      []byte // instead of timestamps as established connections have them
	fragmentAt   uint16
	noTimestamps bool
}

const (
	fin = 1
	syn = 2
	rst = 4
	ack = 16
)

func (s tcp) ip() []byte {
	from, to := netip.MustParseAddrPort(s.from), netip.MustParseAddrPort(s.to)
	options := s.options
	if options == nil && !s.noTimestamps {
		options = stamps(1, 1, 8, 10, s.value, s.echo)
	}
	b := be16(from.Port(), to.Port())
	b = append(b, make([]byte, 8)...)
	b = append(b, byte(20+len(options))/4<<4, s.flags)
	b = append(b, make([]byte, 6)...)
	b = append(append(b, options...), make([]byte, s.payload)...)
	return inIP(from.Addr(), to.Addr(), 6, s.fragmentAt, b)
}

func (s tcp) frame() []byte { return inEthernet(s.ip()) }

// back is a bare acknowledgement of the segment.
func (s tcp) back(value uint32) tcp {
	return tcp{from: s.to, to: s.from, flags: ack, value: value, echo: s.value}
}

// stamps are options that end in those of RFC 7323.
func stamps(all ...any) (b []byte) {
	for _, a := range all {
		switch a := a.(type) {
		case int:
			b = append(b, byte(a))
		case uint32:
			b = binary.BigEndian.AppendUint32(b, a)
		}
	}
	return b
}

func be16(all ...uint16) (b []byte) {
	for _, n := range all {
		b = binary.BigEndian.AppendUint16(b, n)
	}
	return b
}

func inIP(from, to netip.Addr, protocol byte, fragmentAt uint16, payload []byte) []byte {
	if from.Is4() {
		h := append([]byte{0x45, 0}, be16(uint16(20+len(payload)), 0, fragmentAt)...)
		h = append(append(h, 64, protocol, 0, 0), from.AsSlice()...)
		return append(append(h, to.AsSlice()...), payload...)
	}
	h := append([]byte{0x60, 0, 0, 0}, be16(uint16(len(payload)))...)
	h = append(append(h, protocol, 64), from.AsSlice()...)
	return append(append(h, to.AsSlice()...), payload...)
}

func inEthernet(ip []byte) []byte {
	kind := uint16(0x0800)
	if ip[0]>>4 == 6 {
		kind = 0x86dd
	}
	return append(append(make([]byte, 12), be16(kind)...), ip...)
}

// inTunnel puts bytes behind a tunnel's header into a datagram between nodes.
func inTunnel(port uint16, header, inner []byte) []byte {
	b := append(be16(54321, port, uint16(8+len(header)+len(inner)), 0), header...)
	return inEthernet(inIP(netip.MustParseAddr("198.18.0.1"), netip.MustParseAddr("198.18.0.2"), 17, 0, append(b, inner...)))
}

// run is a packet that passes.
type run struct {
	direction Direction
	frame     []byte
}

func out(frame []byte) run { return run{Egress, frame} }
func in(frame []byte) run  { return run{Ingress, frame} }

func loaded(t *testing.T, tap Tap, linkHeader int, spec Spec) *observer {
	t.Helper()
	o := &observer{flows: spec.flows()}
	err := o.load(tap, device{name: "none", linkHeader: linkHeader}, spec)
	if errors.Is(err, unix.EPERM) {
		t.Skip("loading eBPF programs needs privileges")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// pass runs a program on a packet and checks that it decides nothing.
func (o *observer) pass(t *testing.T, r run) {
	t.Helper()
	program, next := o.objects.TcEgress, ^uint32(0) // TCX_NEXT, TC_ACT_UNSPEC
	if r.direction == Ingress {
		program = o.objects.TcIngress
		if o.xdp != nil {
			program, next = o.xdp, 2 // XDP_PASS
		}
	}
	after := make([]byte, len(r.frame)+256)
	options := ebpf.RunOptions{Data: r.frame, DataOut: after}
	said, err := program.Run(&options)
	if err != nil {
		t.Fatalf("running on %d bytes: %v", len(r.frame), err)
	}
	if said != next || !bytes.Equal(options.DataOut, r.frame) {
		t.Fatalf("the program says %d of a packet of %d bytes, which is then %x", int32(said), len(r.frame), options.DataOut)
	}
}

// observed cuts the only interval and reads the report.
func (o *observer) observed(t *testing.T) Observed {
	t.Helper()
	if err := o.cut(); err != nil {
		t.Fatal(err)
	}
	r, err := o.report()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPrograms(t *testing.T) {
	request := tcp{from: "10.0.0.1:40000", to: "10.0.0.2:5201", flags: ack, value: 100, echo: 7, payload: 1000}
	six := tcp{from: "[fd00::1]:40000", to: "[fd00::2]:5201", flags: ack, value: 100, payload: 1}
	ethernet := func(s tcp) []byte { return s.frame() }
	vxlan := func(port uint16) func(tcp) []byte {
		return func(s tcp) []byte { return inTunnel(port, make([]byte, 8), s.frame()) }
	}
	geneve := func(s tcp) []byte {
		return inTunnel(6081, append([]byte{2, 0, 0x65, 0x58, 0, 0, 0, 0}, make([]byte, 8)...), s.frame())
	}
	geneveIP := func(s tcp) []byte { return inTunnel(6081, []byte{0, 0, 8, 0, 0, 0, 0, 0}, s.ip()) }
	ipip := func(s tcp) []byte {
		protocol := byte(4)
		if netip.MustParseAddrPort(s.from).Addr().Is6() {
			protocol = 41
		}
		return inEthernet(inIP(netip.MustParseAddr("198.18.0.1"), netip.MustParseAddr("198.18.0.2"), protocol, 0, s.ip()))
	}
	trip := func(s tcp, how func(tcp) []byte) []run { return []run{out(how(s)), in(how(s.back(8)))} }
	changed := func(f func(*tcp)) tcp { s := request; f(&s); return s }
	for _, tt := range []struct {
		name            string
		runs            []run
		egress, ingress uint64 // round trips
		counts          Counts
		totals          Totals
	}{
		{"a round trip", trip(request, ethernet), 1, 0, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2}},
		{"of IPv6", trip(six, ethernet), 1, 0, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2}},
		{"the other way", []run{in(request.frame()), out(request.back(8).frame())}, 0, 1, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2}},
		{"in VXLAN of Linux", trip(request, vxlan(8472)), 1, 0, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2, Tunnelled: 2}},
		{"in VXLAN of the RFC, IPv6", trip(six, vxlan(4789)), 1, 0, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2, Tunnelled: 2}},
		{"in Geneve with options", trip(request, geneve), 1, 0, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2, Tunnelled: 2}},
		{"in Geneve without Ethernet", trip(request, geneveIP), 1, 0, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2, Tunnelled: 2}},
		{"IP in IP", trip(request, ipip), 1, 0, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2, Tunnelled: 2}},
		{"IPv6 in IP", trip(six, ipip), 1, 0, Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2, Tunnelled: 2}},
		{"in another datagram", trip(request, vxlan(8473)), 0, 0, Counts{}, Totals{Packets: 2}},
		{"the handshake, Linux's options", []run{
			out(changed(func(s *tcp) {
				s.flags, s.payload = syn, 0
				s.options = stamps(2, 4, 5, 180, 4, 2, 8, 10, uint32(100), uint32(0), 1, 3, 3, 7)
			}).frame()),
			in(tcp{from: request.to, to: request.from, flags: syn | ack, options: stamps(2, 4, 5, 180, 4, 2, 8, 10, uint32(5), uint32(100), 1, 3, 3, 7)}.frame()),
			out(changed(func(s *tcp) { s.payload, s.echo = 0, 5 }).frame()),
		}, 1, 1, Counts{Segments: 3, Stored: 2, Matched: 2}, Totals{Packets: 3, Segments: 3}},
		{"an answer is a trip in both directions", []run{
			out(request.frame()),
			in(tcp{from: request.to, to: request.from, flags: ack, value: 8, echo: 100, payload: 10}.frame()),
			out(changed(func(s *tcp) { s.payload, s.echo, s.value = 0, 8, 101 }).frame()),
		}, 1, 1, Counts{Segments: 3, Stored: 2, Matched: 2}, Totals{Packets: 3, Segments: 3}},
		{"the end of a connection", trip(changed(func(s *tcp) { s.payload, s.flags = 0, fin|ack }), ethernet), 1, 0,
			Counts{Segments: 2, Stored: 1, Matched: 1}, Totals{Packets: 2, Segments: 2}},
		{"bare acknowledgements", trip(changed(func(s *tcp) { s.payload = 0 }), ethernet), 0, 0, Counts{Segments: 2}, Totals{Packets: 2, Segments: 2}},
		{"a reset", trip(changed(func(s *tcp) { s.flags = rst | ack }), ethernet), 0, 0, Counts{Segments: 2}, Totals{Packets: 2, Segments: 2}},
		{"one tick, many segments, one trip", []run{
			out(request.frame()), out(request.frame()), in(request.back(8).frame()),
			out(request.frame()), in(request.back(8).frame()), in(request.back(9).frame()),
		}, 1, 0, Counts{Segments: 6, Stored: 1, Matched: 1}, Totals{Packets: 6, Segments: 6}},
		{"two ticks, the second not acknowledged", []run{
			out(request.frame()), out(changed(func(s *tcp) { s.value++ }).frame()), in(request.back(8).frame()),
		}, 1, 0, Counts{Segments: 3, Stored: 2, Matched: 1, Waiting: 1}, Totals{Packets: 3, Segments: 3}},
		{"the clock wraps", []run{
			out(changed(func(s *tcp) { s.value = 1<<32 - 1 }).frame()), out(changed(func(s *tcp) { s.value = 1 }).frame()),
			in(tcp{from: request.to, to: request.from, flags: ack, echo: 1}.frame()),
		}, 1, 0, Counts{Segments: 3, Stored: 2, Matched: 1, Waiting: 1}, Totals{Packets: 3, Segments: 3}},
		{"an old segment comes late", []run{
			out(request.frame()), out(changed(func(s *tcp) { s.value-- }).frame()),
		}, 0, 0, Counts{Segments: 2, Stored: 1, Waiting: 1}, Totals{Packets: 2, Segments: 2}},
		{"a new connection has an older clock", []run{
			out(request.frame()), out(changed(func(s *tcp) { s.value, s.flags, s.payload = 50, syn, 0 }).frame()),
		}, 0, 0, Counts{Segments: 2, Stored: 2, Waiting: 2}, Totals{Packets: 2, Segments: 2}},
		{"somebody else's echo", []run{
			out(request.frame()), in(tcp{from: "10.0.0.3:5201", to: request.from, flags: ack, echo: 100}.frame()),
			in(tcp{from: "10.0.0.2:5202", to: request.from, flags: ack, echo: 100}.frame()),
		}, 0, 0, Counts{Segments: 3, Stored: 1, Waiting: 1}, Totals{Packets: 3, Segments: 3}},
		{"no timestamps", []run{out(changed(func(s *tcp) { s.noTimestamps = true }).frame())}, 0, 0,
			Counts{Segments: 1, Unstamped: 1}, Totals{Packets: 1, Segments: 1}},
		{"options that are nonsense", []run{
			out(changed(func(s *tcp) { s.options = stamps(8, 1, 8, 0, 8, 1, 0, 0, 8, 10, 0, 0) }).frame()),
			out(changed(func(s *tcp) { s.options = stamps(0, 0, 8, 10, uint32(1), uint32(1), 0, 0) }).frame()),
			out(changed(func(s *tcp) { s.options = stamps(1, 1, 8, 12, uint32(1), uint32(1)) }).frame()),
		}, 0, 0, Counts{Segments: 3, Unstamped: 3}, Totals{Packets: 3, Segments: 3}},
		{"a later fragment", []run{out(changed(func(s *tcp) { s.fragmentAt = 100 }).frame())}, 0, 0, Counts{}, Totals{Packets: 1}},
		{"ARP", []run{in(append(append(make([]byte, 12), 8, 6), make([]byte, 28)...))}, 0, 0, Counts{}, Totals{Packets: 1}},
	} {
		for hook, tap := range map[string]Tap{"tc": {}, "xdp": {XDP: true}} {
			t.Run(tt.name+" on "+hook, func(t *testing.T) {
				o := loaded(t, tap, 14, Spec{})
				if tap.XDP && o.xdp == nil {
					t.Skip(o.place.Note)
				}
				for _, r := range tt.runs {
					o.pass(t, r)
				}
				got := o.observed(t)
				flow := got.Flows[0]
				if got.Totals != tt.totals || flow.Counts != tt.counts {
					t.Errorf("counts are %+v of %+v, want %+v of %+v", flow.Counts, got.Totals, tt.counts, tt.totals)
				}
				if e, i := flow.Intervals[0].Egress.Count(), flow.Intervals[0].Ingress.Count(); e != tt.egress || i != tt.ingress {
					t.Errorf("round trips: %d out, %d in; want %d, %d", e, i, tt.egress, tt.ingress)
				}
			})
		}
	}
}

// A rule is about the two ends of a connection, whichever sends.
func TestRules(t *testing.T) {
	spec := Spec{Flows: []Flow{
		{Label: "one", Here: End{Addresses: "10.0.0.1"}, There: End{Addresses: "10.0.0.2", FirstPort: 5201, LastPort: 5208}},
		{Label: "six", There: End{Addresses: "fd00::/64"}},
		{Label: "services", There: End{Addresses: "10.96.0.0/12"}},
		{Label: "all of it, later", There: End{Addresses: "10.96.0.0/12"}},
		{Label: "5"}, {Label: "6"}, {Label: "7"}, {Label: "8"},
	}}
	for i := range spec.Flows[4:] { // as many rules as there may be, which fit nothing here
		spec.Flows[4+i].Here = End{Addresses: "192.0.2.7", FirstPort: 1 + i}
	}
	for _, tt := range []struct {
		here, there, want string
	}{
		{"10.0.0.1:40000", "10.0.0.2:5201", "one"},
		{"10.0.0.1:40000", "10.0.0.2:5208", "one"},
		{"10.0.0.1:40000", "10.0.0.2:5209", ""},
		{"10.0.0.1:5201", "10.0.0.2:40000", ""},
		{"10.0.0.3:40000", "10.0.0.2:5201", ""},
		{"[fd00::1]:1", "[fd01::1]:2", "six"},
		{"[fd00:0:0:1::1]:1", "[fd01::1]:2", ""},
		{"10.0.0.1:1", "10.111.255.255:2", "services"},
		{"10.0.0.1:1", "10.112.0.0:2", ""},
	} {
		t.Run(tt.here+" and "+tt.there, func(t *testing.T) {
			o := loaded(t, Tap{}, 14, spec)
			s := tcp{from: tt.here, to: tt.there, flags: ack, value: 5, payload: 9}
			o.pass(t, out(s.frame()))
			o.pass(t, in(s.back(1).frame()))
			for _, f := range o.observed(t).Flows {
				want := Counts{}
				if f.Label == tt.want {
					want = Counts{Segments: 2, Stored: 1, Matched: 1}
				}
				if f.Counts != want {
					t.Errorf("%s: %+v, want %+v", f.Label, f.Counts, want)
				}
			}
		})
	}
}

// A device without a link header hands over bare IP.
func TestWithoutLinkHeader(t *testing.T) {
	for _, s := range []tcp{
		{from: "10.0.0.1:1", to: "10.0.0.2:2", flags: ack, value: 5, payload: 9},
		{from: "[fd00::1]:1", to: "[fd00::2]:2", flags: ack, value: 5, payload: 9},
	} {
		o := loaded(t, Tap{}, 0, Spec{})
		o.pass(t, out(s.ip()))
		o.pass(t, in(s.back(6).ip()))
		if got := o.observed(t).Flows[0].Counts; got != (Counts{Segments: 2, Stored: 1, Matched: 1}) {
			t.Errorf("%s: %+v", s.from, got)
		}
	}
}

// A packet that ends anywhere, and one of which any byte is wrong, passes
// unchanged and is no round trip unless its headers are whole.
func TestBrokenPackets(t *testing.T) {
	s := tcp{from: "10.0.0.1:1", to: "10.0.0.2:2", flags: ack, value: 5, echo: 6}
	six := tcp{from: "[fd00::1]:1", to: "[fd00::2]:2", flags: syn, options: stamps(2, 4, 5, 180, 4, 2, 8, 10, uint32(5), uint32(0), 1, 3, 3, 7)}
	frames := [][]byte{
		s.frame(), six.frame(),
		inTunnel(8472, make([]byte, 8), s.frame()),
		inTunnel(6081, []byte{63, 0, 0x65, 0x58, 0, 0, 0, 0}, append(make([]byte, 252), six.frame()...)),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, tap := range []Tap{{}, {XDP: true}} {
		o := loaded(t, tap, 14, Spec{})
		passed := uint64(0)
		for _, whole := range frames {
			for n := 14; n < len(whole); n++ { // the kernel runs nothing on less than a link header
				if len(whole) > 200 && n > 60 && n < 290 {
					continue // Geneve's options
				}
				// Without checking what IP says, the kernel refuses some.
				if !acceptable(whole[:n]) {
					continue
				}
				o.pass(t, in(whole[:n]))
				passed++
			}
		}
		if got := o.observed(t); got.Flows[0].Segments != 0 || got.Totals.Packets != passed || got.Totals.Truncated == 0 {
			t.Errorf("of cut packets: %+v", got)
		}
		for range 2000 {
			frame := bytes.Clone(frames[random.IntN(len(frames))])
			for range 1 + random.IntN(8) {
				frame[random.IntN(len(frame))] = byte(random.Uint32())
			}
			frame = frame[:14+random.IntN(len(frame)-13)]
			if acceptable(frame) {
				o.pass(t, run{Direction(random.IntN(2)), frame})
			}
		}
	}
}

// acceptable tells whether the kernel runs programs on a frame: an IP header
// that is announced must be there.
func acceptable(frame []byte) bool {
	switch {
	case frame[12] == 8 && frame[13] == 0:
		return len(frame) >= 34
	case frame[12] == 0x86 && frame[13] == 0xdd:
		return len(frame) >= 54
	}
	return true
}

// Timestamps without a room push others out, and that is counted.
func TestForgotten(t *testing.T) {
	o := loaded(t, Tap{}, 14, Spec{Waiting: 16})
	const sent = 4000
	for i := range uint32(sent) {
		o.pass(t, out(tcp{from: "10.0.0.1:1", to: "10.0.0.2:2", flags: ack, value: i + 1, payload: 9}.frame()))
	}
	got := o.observed(t).Flows[0].Counts
	if got.Stored+got.Refused != sent || got.Forgotten == 0 || got.Forgotten+got.Waiting != got.Stored {
		t.Errorf("counts are %+v", got)
	}
}

// The programs' buckets are those that Go reads: a wait that is known lies
// within one of them.
func TestProgramsCountTime(t *testing.T) {
	o := loaded(t, Tap{}, 14, Spec{})
	s := tcp{from: "10.0.0.1:1", to: "10.0.0.2:2", flags: ack, payload: 9}
	for i := range 20 {
		s.value = uint32(i + 1)
		before := time.Now()
		o.pass(t, out(s.frame()))
		left := time.Now()
		time.Sleep(time.Duration(i) * time.Millisecond)
		back := time.Now()
		o.pass(t, in(s.back(1).frame()))
		most, least := time.Since(before), back.Sub(left)
		if err := o.cut(); err != nil {
			t.Fatal(err)
		}
		h := o.seen[0][i].Egress
		got, ok := h.Quantile(.5)
		if !ok || h.Count() != 1 || got < least-least/64 || got > most+most/64 {
			t.Errorf("%d round trips, %v; it took between %v and %v", h.Count(), got, least, most)
		}
	}
}
