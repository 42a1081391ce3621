//go:build e2e

package rtt_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/probe/rtt"
	"github.com/cnibench/cnibench/internal/probe/rtt/witness"
)

// These tests compare measurements of the same packets on a machine that may
// be busy with anything. A comparison is repeated, attempts times at most; what
// is wrong with the code is wrong every time.
const attempts = 3

// space is a network namespace that a test made.
type space struct{ handle netns.NsHandle }

func newSpace(t *testing.T) space {
	t.Helper()
	var s space
	onThread(t, func() error {
		var err error
		s.handle, err = netns.New()
		if err != nil {
			return err
		}
		lo, err := netlink.LinkByName("lo")
		if err != nil {
			return err
		}
		return netlink.LinkSetUp(lo)
	})
	t.Cleanup(func() { _ = s.handle.Close() }) // with it the namespace and its devices end
	return s
}

// onThread calls f on a thread that is not used again.
func onThread(t *testing.T, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- f()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func (s space) do(t *testing.T, f func() error) {
	t.Helper()
	onThread(t, func() error {
		if err := netns.Set(s.handle); err != nil {
			return err
		}
		return f()
	})
}

// join connects two namespaces by a veth pair; the addresses are with their
// prefixes' lengths, or empty.
func join(t *testing.T, a, b space, nameA, nameB string, addressesA, addressesB []string) {
	t.Helper()
	a.do(t, func() error {
		return netlink.LinkAdd(&netlink.Veth{
			LinkAttrs: netlink.LinkAttrs{Name: nameA, MTU: 1500}, PeerName: nameB, PeerNamespace: netlink.NsFd(b.handle),
		})
	})
	for _, end := range []struct {
		space     space
		name      string
		addresses []string
	}{{a, nameA, addressesA}, {b, nameB, addressesB}} {
		end.space.do(t, func() error {
			link, err := netlink.LinkByName(end.name)
			if err != nil {
				return err
			}
			for _, text := range end.addresses {
				address, err := netlink.ParseAddr(text)
				if err != nil {
					return err
				}
				address.Flags = unix.IFA_F_NODAD
				if err := netlink.AddrAdd(link, address); err != nil {
					return err
				}
			}
			return netlink.LinkSetUp(link)
		})
	}
}

// serve echoes what connections bring, in a namespace, until the test ends.
func serve(t *testing.T, in space, address string) string {
	t.Helper()
	var l net.Listener
	in.do(t, func() (err error) {
		l, err = net.Listen("tcp", net.JoinHostPort(address, "0"))
		return err
	})
	t.Cleanup(func() { _ = l.Close() }) // nothing is buffered in it
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c) // the client says what went wrong
				_ = c.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// converse sends requests over several connections and awaits each answer.
func converse(t *testing.T, from space, to string, connections, requests int, every time.Duration) {
	t.Helper()
	var all []net.Conn
	for range connections {
		from.do(t, func() error {
			c, err := net.DialTimeout("tcp", to, 10*time.Second)
			all = append(all, c)
			return err
		})
	}
	var group sync.WaitGroup
	for _, c := range all {
		group.Go(func() {
			defer func() { _ = c.Close() }() // all was read
			buf := make([]byte, 500)
			for range requests {
				if _, err := c.Write(buf); err != nil {
					t.Error(err)
					return
				}
				if _, err := io.ReadFull(c, buf); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(every)
			}
		})
	}
	group.Wait()
}

// measured runs traffic while both the programs and a packet socket watch a
// device.
func measured(t *testing.T, at space, tap rtt.Tap, traffic func()) (rtt.Observed, []witness.Packet) {
	t.Helper()
	undo, err := witness.StampAtHandover()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := undo(); err != nil {
			t.Error(err)
		}
	}()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var socket *witness.Socket
	ready, done := make(chan rtt.Ready), make(chan error, 1)
	var report rtt.Report
	at.do(t, func() (err error) {
		socket, err = witness.Watch(tap.Interface)
		return err
	})
	go func() {
		runtime.LockOSThread() // and never unlock: it is in another namespace
		err := netns.Set(at.handle)
		if err == nil {
			spec := rtt.Spec{Taps: []rtt.Tap{tap}, Interval: 100 * time.Millisecond}
			report, err = rtt.Run(ctx, spec, func(r rtt.Ready) error { ready <- r; return nil })
		}
		done <- err
	}()
	select {
	case r := <-ready:
		if r.Unsupported != "" {
			t.Fatalf("this kernel is to measure round trips: %s", r.Unsupported)
		}
	case err := <-done:
		t.Fatal(err)
	}
	traffic()
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	packets, err := socket.Packets()
	if err != nil {
		t.Fatal(err)
	}
	return report.Devices[0], packets
}

func everything(from, to netip.AddrPort) bool { return true }

// try repeats a comparison until it holds.
func try(t *testing.T, compare func() (string, error)) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		figures, err := compare()
		t.Log(figures)
		if err == nil {
			return
		}
		if attempt == attempts {
			t.Fatal(err)
		}
		t.Logf("attempt %d: %v", attempt, err)
	}
}

func TestE2EAgreesWithPacketTimestamps(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		addressA, addressB, to string
		xdp                    bool
	}{
		{"IPv4", "10.77.0.1/24", "10.77.0.2/24", "10.77.0.2", false},
		{"IPv6", "fd77::1/64", "fd77::2/64", "fd77::2", false},
		{"XDP", "10.77.0.1/24", "10.77.0.2/24", "10.77.0.2", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, server := newSpace(t), newSpace(t)
			join(t, client, server, "ca", "sa", []string{tt.addressA}, []string{tt.addressB})
			to := serve(t, server, tt.to)
			try(t, func() (string, error) {
				device, packets := measured(t, client, rtt.Tap{Name: "veth", Interface: "ca", XDP: tt.xdp}, func() {
					converse(t, client, to, 4, 1000, time.Millisecond)
				})
				if tt.xdp && device.Hook != "xdp+tcx" {
					t.Fatalf("programs are on %s: %s", device.Hook, device.Note)
				}
				f := device.Flows[0]
				figures, err := witness.Agree(f.Between(time.Time{}, time.Time{}, rtt.Egress), witness.Trips(packets, true, everything))
				other, wrong := witness.Agree(f.Between(time.Time{}, time.Time{}, rtt.Ingress), witness.Trips(packets, false, everything))
				return "out: " + figures + "; in: " + other, errors.Join(err, wrong)
			})
		})
	}
}

// Streams at full speed go through segmentation offload.
func TestE2EAgreesOnBulk(t *testing.T) {
	client, server := newSpace(t), newSpace(t)
	join(t, client, server, "ca", "sa", []string{"10.77.0.1/24"}, []string{"10.77.0.2/24"})
	to := serve(t, server, "10.77.0.2")
	try(t, func() (string, error) {
		device, packets := measured(t, client, rtt.Tap{Name: "veth", Interface: "ca"}, func() {
			stream(t, client, to, 2, 200, 128<<10)
		})
		f := device.Flows[0]
		if f.Segments == 0 || f.Unstamped > 0 || f.Forgotten > 0 || f.Refused > 0 {
			t.Fatalf("counts are %+v", f.Counts)
		}
		return witness.Agree(f.Between(time.Time{}, time.Time{}, rtt.Egress), witness.Trips(packets, true, everything))
	})
}

// stream sends blocks one after the other, a few milliseconds apart, and reads
// what is echoed meanwhile.
func stream(t *testing.T, from space, to string, connections, blocks, size int) {
	t.Helper()
	var group sync.WaitGroup
	for range connections {
		var c net.Conn
		from.do(t, func() (err error) {
			c, err = net.DialTimeout("tcp", to, 10*time.Second)
			return err
		})
		group.Go(func() {
			if _, err := io.CopyN(io.Discard, c, int64(blocks*size)); err != nil {
				t.Error(err)
			}
			_ = c.Close() // all was read
		})
		group.Go(func() {
			block := make([]byte, size)
			for range blocks {
				if _, err := c.Write(block); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(3 * time.Millisecond)
			}
		})
	}
	group.Wait()
}

// A relay between two namespaces holds back what goes to the server: no round
// trip is shorter than that, and half of them are little longer than what it
// really held.
func TestE2ESeesARelaysDelay(t *testing.T) {
	for _, delay := range []time.Duration{time.Millisecond, 5 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			client, server, middle := newSpace(t), newSpace(t), newSpace(t)
			join(t, client, middle, "ca", "ra", []string{"10.77.0.1/24"}, nil)
			join(t, server, middle, "sa", "rb", []string{"10.77.0.2/24"}, nil)
			r := newRelay(t, middle, delay)
			to := serve(t, server, "10.77.0.2")
			try(t, func() (string, error) {
				r.reset()
				device, packets := measured(t, client, rtt.Tap{Name: "veth", Interface: "ca"}, func() {
					converse(t, client, to, 4, 250, time.Millisecond)
				})
				h := device.Flows[0].Between(time.Time{}, time.Time{}, rtt.Egress)
				held := r.median()
				figures, err := witness.Agree(h, witness.Trips(packets, true, everything))
				figures += "; the relay held " + held.String()
				shortest, _ := h.Quantile(0)
				if shortest < delay-delay/64 {
					t.Fatalf("a round trip took %v, and the relay holds for %v", shortest, delay)
				}
				if p50, _ := h.Quantile(.5); p50 > held+delay/2+500*time.Microsecond {
					err = errors.Join(err, errors.New("the median is "+p50.String()+", and the relay held for "+held.String()))
				}
				return figures, err
			})
		})
	}
}

// relay carries frames between two devices of a namespace. It takes them with
// what the kernel knows of their offloads, so that nothing needs to be turned
// off (PACKET_VNET_HDR).
type relay struct {
	delay time.Duration
	mutex sync.Mutex
	held  []time.Duration
}

func newRelay(t *testing.T, in space, delay time.Duration) *relay {
	t.Helper()
	r := &relay{delay: delay}
	var a, b int
	in.do(t, func() (err error) {
		if a, err = rawSocket("ra"); err == nil {
			b, err = rawSocket("rb")
		}
		return err
	})
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { r.carry(ctx, a, b, delay) })
	group.Go(func() { r.carry(ctx, b, a, 0) })
	t.Cleanup(func() {
		stop()
		group.Wait()
		_ = unix.Close(a) // nothing is buffered in them
		_ = unix.Close(b)
	})
	return r
}

func rawSocket(device string) (int, error) {
	i, err := net.InterfaceByName(device)
	if err != nil {
		return -1, err
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	wait := unix.NsecToTimeval((10 * time.Millisecond).Nanoseconds())
	all := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
	return fd, errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1),
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: i.Index}),
	)
}

// carry moves frames one way. Each leaves at least delay after it came, in
// order.
func (r *relay) carry(ctx context.Context, from, to int, delay time.Duration) {
	type frame struct {
		data []byte
		came time.Time
	}
	queue := make(chan frame, 4096)
	var group sync.WaitGroup
	defer group.Wait()
	defer close(queue)
	group.Go(func() {
		for f := range queue {
			time.Sleep(time.Until(f.came.Add(delay)))
			if _, err := unix.Write(to, f.data); err == nil && delay > 0 {
				r.mutex.Lock()
				r.held = append(r.held, time.Since(f.came))
				r.mutex.Unlock()
			}
		}
	})
	buf := make([]byte, 128<<10)
	for ctx.Err() == nil {
		n, err := unix.Read(from, buf)
		if err == nil {
			queue <- frame{slices.Clone(buf[:n]), time.Now()}
		}
	}
}

func (r *relay) reset() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.held = nil
}

func (r *relay) median() time.Duration {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.held) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(r.held))[len(r.held)/2]
}

// Programs of others on the same device stay, see all packets, and cannot keep
// any from ours, even if theirs end the search; ours leave nothing.
func TestE2EBesideOthers(t *testing.T) {
	client, server := newSpace(t), newSpace(t)
	join(t, client, server, "ca", "sa", []string{"10.77.0.1/24"}, []string{"10.77.0.2/24"})
	to := serve(t, server, "10.77.0.2")
	other, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "other", Type: ebpf.SchedCLS, License: "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}, // TCX_PASS: no further program
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }() // nothing is buffered in it
	points := []ebpf.AttachType{ebpf.AttachTCXIngress, ebpf.AttachTCXEgress}
	var index int
	client.do(t, func() error {
		i, err := net.InterfaceByName("ca")
		if err != nil {
			return err
		}
		index = i.Index
		for _, point := range points {
			l, err := link.AttachTCX(link.TCXOptions{Interface: index, Program: other, Attach: point, Anchor: link.Head()})
			if err != nil {
				return err
			}
			t.Cleanup(func() { _ = l.Close() }) // the device has gone, or goes
		}
		return nil
	})
	device, _ := measured(t, client, rtt.Tap{Name: "veth", Interface: "ca"}, func() { converse(t, client, to, 1, 20, 3*time.Millisecond) })
	if c := device.Flows[0].Counts; c.Segments == 0 || c.Matched == 0 {
		t.Errorf("counts are %+v", c)
	}
	client.do(t, func() error {
		for _, point := range points {
			at, err := link.QueryPrograms(link.QueryOptions{Target: index, Attach: point})
			if err != nil {
				return err
			}
			if len(at.Programs) != 1 {
				t.Errorf("%v has %d programs afterwards, and the other's is one", point, len(at.Programs))
			}
		}
		return nil
	})
}
