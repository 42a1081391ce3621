package stream

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// freePorts returns the first of n ports that nobody uses.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for range 20 {
		first := 0
		var taken []net.PacketConn
		for i := range n {
			address := net.UDPAddr{Port: 0}
			if i > 0 {
				address.Port = first + i
			}
			conn, err := net.ListenUDP("udp", &address)
			if err != nil {
				break
			}
			taken = append(taken, conn)
			if a, ok := conn.LocalAddr().(*net.UDPAddr); ok && i == 0 {
				first = a.Port
			}
		}
		for _, conn := range taken {
			_ = conn.Close()
		}
		if len(taken) == n {
			return first
		}
	}
	t.Fatalf("no %d free ports in a row", n)
	return 0
}

func ends(t *testing.T, host string, streams, size int) (*Sender, *Receiver) {
	t.Helper()
	port := freePorts(t, streams)
	r, err := NewReceiver(ReceiveSpec{Port: port, Streams: streams, Key: 99, Buffer: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	spec := SendSpec{Host: host, Key: 99, Size: size, Buffer: 1 << 20}
	for i := range streams {
		spec.Ports = append(spec.Ports, port+i)
	}
	s, err := NewSender(context.Background(), spec)
	if err != nil {
		t.Fatal(errors.Join(err, r.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, r
}

func TestTrial(t *testing.T) {
	for _, test := range []struct {
		host    string
		streams int
	}{{"127.0.0.1", 1}, {"127.0.0.1", 3}, {"::1", 1}} {
		s, r := ends(t, test.host, test.streams, 512)
		if got := s.Ready(); got.Link != "lo" || got.MTU < PacketOf(512) || got.Buffer == 0 {
			t.Errorf("%+v", got)
		}
		for trial := uint32(1); trial <= 2; trial++ {
			if err := r.Begin(Begin{trial}); err != nil {
				t.Fatal(err)
			}
			sent, err := s.Trial(t.Context(), SendOrder{Trial: trial, PerSecond: 3000, Duration: 50 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Finish(t.Context(), Finish{sent.Sent, time.Second, 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			// A machine that is busy may leave no time for all of them.
			if sent.Planned != 150 || sent.Sent == 0 || sent.Sent > 150 || sent.PerSecond() > 3001 || sent.LongestBurst == 0 {
				t.Errorf("%+v: %+v", test, sent)
			}
			if want := (Counts{Received: sent.Sent}); got.Counts != want || got.Dropped != 0 || got.Trial != trial {
				t.Errorf("%+v: %+v", test, got)
			}
			// Loopback counts bytes without the Ethernet header, and carries
			// what others send, too.
			if c := sent.Link; c.TxPackets < sent.Sent || c.TxBytes < sent.Sent*uint64(PacketOf(512)) {
				t.Errorf("%+v: %+v", test, c)
			}
		}
	}
}

// As fast as it can, a sender needs no plan.
func TestTrialWithoutARate(t *testing.T) {
	s, r := ends(t, "127.0.0.1", 1, 64)
	if err := r.Begin(Begin{1}); err != nil {
		t.Fatal(err)
	}
	sent, err := s.Trial(t.Context(), SendOrder{Trial: 1, PerSecond: 0, Duration: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Finish(t.Context(), Finish{sent.Sent, 100 * time.Millisecond, 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if sent.Sent == 0 || sent.Planned != sent.Sent || got.Received+got.Dropped != sent.Sent {
		t.Errorf("sent %+v, received %+v", sent, got)
	}
}

// The quiet time ends the wait for what will not come.
func TestFinishDoesNotWaitForTheLost(t *testing.T) {
	s, r := ends(t, "127.0.0.1", 1, 64)
	if err := r.Begin(Begin{2}); err != nil {
		t.Fatal(err)
	}
	sent, err := s.Trial(t.Context(), SendOrder{Trial: 1, PerSecond: 1000, Duration: 20 * time.Millisecond}) // a straggler's trial
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Finish(t.Context(), Finish{sent.Sent, 50 * time.Millisecond, time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{Stragglers: sent.Sent}); got.Counts != want {
		t.Errorf("%+v", got)
	}
}

func TestTrialNobodyListens(t *testing.T) {
	s, err := NewSender(t.Context(), SendSpec{Host: "127.0.0.1", Ports: []int{freePorts(t, 1)}, Size: 64})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Trial(t.Context(), SendOrder{Trial: 1, PerSecond: 1000, Duration: 100 * time.Millisecond})
	if !errors.Is(err, unix.ECONNREFUSED) || !strings.Contains(err.Error(), "sending to 127.0.0.1:") {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestTrialEndsWithItsContext(t *testing.T) {
	s, _ := ends(t, "127.0.0.1", 1, 64)
	gone := errors.New("the caller is gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := s.Trial(ctx, SendOrder{Trial: 1, PerSecond: 1, Duration: time.Hour}); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

// What a socket has no room for is known.
func TestDrops(t *testing.T) {
	port := freePorts(t, 1)
	in, err := listen(port, 4096)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(in) }()
	out, err := connect(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(out) }()
	const all = 200
	for range all {
		if err := unix.Send(out, make([]byte, 1000), 0); err != nil {
			t.Fatal(err)
		}
	}
	dropped, err := drops(in)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for b := newBatch(batchSize, minPayload); ; {
		n, err := b.receive(in)
		if err != nil {
			break
		}
		kept += n
	}
	if dropped == 0 || int(dropped)+kept != all {
		t.Errorf("%d dropped and %d kept of %d", dropped, kept, all)
	}
}

func TestSpecsRefuse(t *testing.T) {
	for want, spec := range map[string]interface{ Validate() error }{
		"no host":              SendSpec{Ports: []int{1}, Size: 64},
		"frames of 63 bytes":   SendSpec{Host: "h", Ports: []int{1}, Size: 63},
		"no port to send to":   SendSpec{Host: "h", Size: 64},
		"there is no port 0":   SendSpec{Host: "h", Ports: []int{1, 0}, Size: 64},
		"buffers of -1":        SendSpec{Host: "h", Ports: []int{1}, Size: 64, Buffer: -1},
		"129 streams":          SendSpec{Host: "h", Ports: make([]int, 129), Size: 64},
		"0 streams":            ReceiveSpec{Port: 1},
		"there is no port 655": ReceiveSpec{Port: 65535, Streams: 2},
	} {
		if err := spec.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, order := range []SendOrder{
		{Trial: 1, PerSecond: -1, Duration: time.Second}, {Trial: 1, PerSecond: 2e9, Duration: time.Second},
		{Trial: 1, PerSecond: 1}, {Trial: 1, PerSecond: 1, Duration: 2 * time.Hour},
	} {
		if order.Validate() == nil {
			t.Errorf("%+v: taken", order)
		}
	}
}
