//go:build e2e && linux

package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"github.com/cnibench/cnibench/internal/mlrsearch"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/stage"
)

// asProbe in the environment makes this test program cnibench-probe.
const asProbe = "CNIBENCH_TEST_AS_PROBE"

func init() {
	if os.Getenv(asProbe) != "" {
		os.Exit(probe.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
}

// The bucket of the shaped link, in time at its rate: what it lets through at
// once after a pause, and what waits behind it. The sender sends up to a
// millisecond's packets at once.
const (
	bucketDepth = 4 * time.Millisecond
	queueDepth  = 2 * time.Millisecond
	// lag is how late the sender's last packet may leave.
	lag = time.Millisecond
)

// The rates of links with known ones lie between the bounds found. It measures
// for about a minute; CNIBENCH_ZERO_LOSS_RUNS repeats it.
func TestZeroLossBracketsTheRateOfALink(t *testing.T) {
	runs := 1
	if text := os.Getenv("CNIBENCH_ZERO_LOSS_RUNS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		runs = n
	}
	for run := range runs {
		for _, link := range []struct {
			size int
			rate float64 // bit/s of frames with their check sequence
		}{{64, 10e6}, {512, 50e6}, {1518, 200e6}} {
			t.Run(fmt.Sprintf("%d bytes at %.0f Mbit, run %d", link.size, link.rate/1e6, run+1), func(t *testing.T) {
				found := searchShaped(t, link.size, link.rate)
				for try := 1; try < 3 && len(found.marks()) > 0; try++ {
					t.Logf("once more, because the search says of itself that an end set a bound: %v", found.marks())
					found = searchShaped(t, link.size, link.rate)
				}
				// A trial of d carries rate × d, the full bucket that it
				// begins with, the queue that it leaves behind and what passes
				// while the sender lags: that much more than the rate passes
				// without loss.
				surplus := (bucketDepth + queueDepth + lag).Seconds() / found.ndr().Goal.FinalTrial.Seconds()
				t.Logf("%s; %s; %s", found.facts()["search"], found.facts()["pace"], found.facts()["link"])
				holds(t, &found, found.ndr(), link.rate, surplus)
				holds(t, &found, found.pdr(), link.rate/(1-pdrLossRatio), surplus)
				if marks := found.marks(); len(marks) > 0 {
					t.Skipf("this machine is too busy for three searches, and they say so: %v", marks)
				}
			})
		}
	}
}

// holds checks that the rate lies between the bounds, the upper one of which
// may also be below the rate's surplus. Where an end set the upper bound, as
// the search then says, only the lower one is the link's.
func holds(t *testing.T, found *zeroLossSearch, g mlrsearch.GoalResult, rate, surplus float64) {
	t.Helper()
	if g.Status != mlrsearch.Regular {
		if len(found.marks()) == 0 {
			t.Errorf("%s: %s", g.Goal.Name, g.Reason)
		}
		return
	}
	lower, upper := found.offered(g.Lower.Load)*found.frameBits(), found.offered(g.Upper.Load)*found.frameBits()
	t.Logf("%s: %.4f to %.4f Mbit/s, true %.4f to %.4f", g.Goal.Name, lower/1e6, upper/1e6, rate/1e6, rate*(1+surplus)/1e6)
	if lower > rate*(1+surplus) || upper < rate && len(found.marks()) == 0 {
		t.Errorf("%s: the rate is %.4f Mbit/s, and the bounds are %.4f and %.4f", g.Goal.Name, rate/1e6, lower/1e6, upper/1e6)
	}
}

var nothingArrived = regexp.MustCompile(`^none of \d+ packets of 1518 bytes that the sender sent arrived at the receiver$`)

// A link that drops everything of that size is no link of rate 0.
func TestZeroLossNothingArrives(t *testing.T) {
	client, server := namespacePair(t, netlinkTBF(64, 1e6, time.Second))
	ends, err := openPacedEnds(t.Context(), pacedEnd{"sender", inNamespace(client)}, pacedEnd{"receiver", inNamespace(server)},
		zeroLossSpecs(stage.Address{Host: serverAddress}, stage.Ports{First: stage.FirstPort, Count: 1}, 1518))
	if err != nil {
		t.Fatal(err)
	}
	defer ends.close()
	found, err := searchZeroLoss(t.Context(), ends, defaultsOf(zeroLossParameters))
	if err == nil || !nothingArrived.MatchString(err.Error()) || found.Result.Trials != nil {
		t.Errorf("%v", err)
	}
}

// Frames that the link has no room for are refused before anything is sent.
func TestZeroLossFramesTooLarge(t *testing.T) {
	client, server := namespacePair(t, nil)
	_, err := openPacedEnds(t.Context(), pacedEnd{"sender", inNamespace(client)}, pacedEnd{"receiver", inNamespace(server)},
		zeroLossSpecs(stage.Address{Host: serverAddress}, stage.Ports{First: stage.FirstPort, Count: 1}, 1519))
	var unsupported *stage.UnsupportedError
	if !errors.As(err, &unsupported) || unsupported.Reason != "frames of 1519 bytes hold IP packets of 1501, and the MTU of the path to "+serverAddress+" is 1500: the largest frame is 1518 bytes" {
		t.Errorf("%v", err)
	}
}

// An end that dies during a search ends it, and is named.
func TestZeroLossEndDies(t *testing.T) {
	for _, victim := range []string{"sender", "receiver"} {
		client, server := namespacePair(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		run := func(name string, ns netns.NsHandle) stage.Runner {
			return func(always context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
				if name == victim {
					always = ctx
				}
				return inNamespace(ns)(always, argv, stdin, stdout, stderr)
			}
		}
		ends, err := openPacedEnds(t.Context(), pacedEnd{"sender", run("sender", client)}, pacedEnd{"receiver", run("receiver", server)},
			zeroLossSpecs(stage.Address{Host: serverAddress}, stage.Ports{First: stage.FirstPort, Count: 1}, 64))
		if err != nil {
			t.Fatal(err)
		}
		defer ends.close()
		time.AfterFunc(time.Second, cancel)
		found, err := searchZeroLoss(t.Context(), ends, defaultsOf(zeroLossParameters))
		// The other end may notice first: packets to a dead receiver are
		// refused.
		if err == nil || !strings.Contains(err.Error(), victim+": ") && !strings.Contains(err.Error(), "sender: ") {
			t.Errorf("%s: %v", victim, err)
		}
		if len(found.trials) < len(found.Result.Trials) {
			t.Errorf("%s: %d trials kept of %d", victim, len(found.trials), len(found.Result.Trials))
		}
	}
}

const (
	clientAddress = "198.18.1.1"
	serverAddress = "198.18.1.2"
)

// searchShaped searches the rates of a link that is shaped to one.
func searchShaped(t *testing.T, size int, rate float64) zeroLossSearch {
	client, server := namespacePair(t, netlinkTBF(size, rate, queueDepth))
	ends, err := openPacedEnds(t.Context(), pacedEnd{"sender", inNamespace(client)}, pacedEnd{"receiver", inNamespace(server)},
		zeroLossSpecs(stage.Address{Host: serverAddress}, stage.Ports{First: stage.FirstPort, Count: 1}, size))
	if err != nil {
		t.Fatal(err)
	}
	defer ends.close()
	start := time.Now()
	found, err := searchZeroLoss(t.Context(), ends, defaultsOf(zeroLossParameters))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d trials in %s", len(found.trials), time.Since(start).Round(time.Millisecond))
	return found
}

// netlinkTBF is a token bucket for frames of one size at a rate that counts
// them as the search does. The kernel's bucket counts the bytes that Linux
// sees, from the destination address to the end of the payload: 4 less than a
// frame has with its check sequence. So its rate is lower by that share.
func netlinkTBF(size int, rate float64, queue time.Duration) *netlink.Tbf {
	bytesPerSecond := rate / 8 * float64(size-4) / float64(size)
	return &netlink.Tbf{
		Rate:  uint64(bytesPerSecond),
		Limit: uint32(bytesPerSecond * queue.Seconds()),
		// The depth is given as the time that it takes to fill, in the
		// packet scheduler's ticks.
		Buffer: uint32(bucketDepth.Seconds() * 1e6 * netlink.TickInUsec()),
	}
}

// namespacePair makes two network namespaces with a veth pair between them and
// shapes what the first one sends. They have no names, so that they go with
// their last user.
func namespacePair(t *testing.T, shape *netlink.Tbf) (client, server netns.NsHandle) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	home, err := netns.Get()
	must(t, err)
	defer func() {
		must(t, netns.Set(home))
		must(t, home.Close())
	}()
	server, err = netns.New()
	must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	client, err = netns.New() // and this thread is in it
	must(t, err)
	t.Cleanup(func() { _ = client.Close() })
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "eth0", MTU: 1500}, PeerName: "eth0", PeerNamespace: netlink.NsFd(server)}))
	configure(t, clientAddress)
	if shape != nil {
		link, err := netlink.LinkByName("eth0")
		must(t, err)
		shape.QdiscAttrs = netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}
		must(t, netlink.QdiscAdd(shape))
	}
	must(t, netns.Set(server))
	configure(t, serverAddress)
	return client, server
}

func configure(t *testing.T, address string) {
	t.Helper()
	for _, name := range []string{"lo", "eth0"} {
		link, err := netlink.LinkByName(name)
		must(t, err)
		if name == "eth0" {
			a, err := netlink.ParseAddr(address + "/24")
			must(t, err)
			must(t, netlink.AddrAdd(link, a))
		}
		must(t, netlink.LinkSetUp(link))
	}
}

// inNamespace runs this program as cnibench-probe in a namespace.
func inNamespace(ns netns.NsHandle) stage.Runner {
	return func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
		cmd := exec.CommandContext(ctx, "/proc/self/exe", argv...)
		cmd.Env = append(os.Environ(), asProbe+"=1")
		cmd.Stdout, cmd.Stderr = stdout, stderr
		// Not cmd.Stdin: Wait would wait for its end, which a session gives
		// only after the program's.
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		if err := startIn(ns, cmd); err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(in, stdin) // a program that is gone reads no more
			_ = in.Close()
		}()
		return cmd.Wait()
	}
}

// startIn starts a program from a thread that is in the namespace. The thread
// ends with its goroutine, because it is never unlocked.
func startIn(ns netns.NsHandle, cmd *exec.Cmd) error {
	failed := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		failed <- errors.Join(netns.Set(ns), cmd.Start())
	}()
	return <-failed
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
