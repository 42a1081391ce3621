package probe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func local(port int) string { return net.JoinHostPort("127.0.0.1", itoa(port)) }

// freePort is one that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

func awaiting(want map[string]bool) WatchCommand {
	return WatchCommand{Await: &WatchAwait{Want: want, Settle: 3, Limit: time.Minute}}
}

// A caller talks to a watch in lines and frames: it sees that one address is
// reached and another is not, and afterwards that both are.
func TestWatchAnswersCommands(t *testing.T) {
	served, closed := echoServer(t), freePort(t)
	spec := WatchSpec{Interval: 2 * time.Millisecond, Timeout: MaxWatchTimeout, Targets: []WatchTarget{
		{"tcp", NetworkTCP, local(served), ""}, {"udp", NetworkUDP, local(served), ""}, {"closed", NetworkTCP, local(closed), ""},
	}}
	in, toIn := io.Pipe()
	out, toOut := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- watchCommand(t.Context(), nil, in, toOut) }()
	send := func(v any) {
		t.Helper()
		if _, err := toIn.Write(append(jsonOf(t, v), '\n')); err != nil {
			t.Fatal(err)
		}
	}
	frames := bufio.NewReader(out)
	send(spec)
	var ready WatchReady
	nextFrame(t, frames, FrameReady, &ready)
	if ready.BootID == "" {
		t.Error("it does not say which kernel it runs on")
	}
	before := time.Now()
	send(WatchCommand{Clock: true})
	var clock WatchClock
	nextFrame(t, frames, FrameClock, &clock)
	if clock.Now.Before(before) || clock.Now.After(time.Now()) {
		t.Errorf("its clock says %v", clock.Now)
	}
	send(awaiting(map[string]bool{"tcp": true, "udp": true, "closed": false}))
	var first, second Watched
	nextFrame(t, frames, FrameWatched, &first)
	if !first.Settled || !Settled(first.Attempts["udp"], true, 3, 0) || !Settled(first.Attempts["closed"], false, 3, 0) {
		t.Errorf("%+v", first)
	}
	if last := first.Attempts["closed"][2]; last.Outcome != ReachRefused {
		t.Errorf("a closed port is %q", last.Outcome)
	}
	l, err := net.Listen("tcp", local(closed))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = echoStreams(l) }() // ends with the listener
	defer func() { _ = l.Close() }()
	send(awaiting(map[string]bool{"closed": true}))
	nextFrame(t, frames, FrameWatched, &second)
	effect, found := FindEffect(second.Attempts["closed"], true)
	if !found || !effect.Known || second.Attempts["closed"][0] != first.Attempts["closed"][len(first.Attempts["closed"])-1] {
		t.Errorf("effect %+v, %t in %+v", effect, found, second)
	}
	_ = toIn.Close() // the caller is gone
	if err := <-ended; err != nil {
		t.Errorf("the watch ended with %v", err)
	}
}

// Targets that nobody knew before come with what awaits them.
func TestWatchTakesMoreTargets(t *testing.T) {
	served := local(echoServer(t))
	w, err := startWatch(t.Context(), WatchSpec{Interval: time.Millisecond, Timeout: MaxWatchTimeout, OnDemand: true, Targets: []WatchTarget{{"first", NetworkTCP, served, ""}}})
	if err != nil {
		t.Fatal(err)
	}
	var frames bytes.Buffer
	command := awaiting(map[string]bool{"second": true})
	if err := w.obey(t.Context(), command, &frames); err == nil {
		t.Error("it awaits a target that it does not have")
	}
	command.Targets = []WatchTarget{{"second", NetworkTCP, served, ""}}
	if err := w.obey(t.Context(), command, &frames); err != nil {
		t.Fatal(err)
	}
	var watched Watched
	nextFrame(t, bufio.NewReader(&frames), FrameWatched, &watched)
	if !watched.Settled || len(watched.Attempts["second"]) < 3 || len(watched.Attempts["first"]) > 0 {
		t.Errorf("%+v", watched)
	}
	if err := w.obey(t.Context(), command, &frames); err == nil {
		t.Error("two targets have one name")
	}
}

// An attempt that hangs does not keep the next from beginning: that is what
// makes the moment of an effect known to one interval.
func TestWatchDoesNotWaitForAttempts(t *testing.T) {
	// Nobody reads from this socket, so no echo ever comes.
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	spec := WatchSpec{Interval: 5 * time.Millisecond, Timeout: 500 * time.Millisecond, Targets: []WatchTarget{{"silent", NetworkUDP, silent.LocalAddr().String(), ""}}}
	w, err := startWatch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	watched, err := w.await(t.Context(), WatchAwait{Want: map[string]bool{"silent": false}, Settle: 10, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	all := watched.Attempts["silent"]
	if len(all) < 10 {
		t.Fatalf("%d attempts", len(all))
	}
	overlap := 0
	for i, a := range all {
		if a.Outcome != ReachTimeout || a.Took < 0.5 {
			t.Errorf("attempt %d: %+v", i, a)
		}
		if i > 0 && a.At < all[i-1].At+all[i-1].Took {
			overlap++
		}
	}
	if overlap < len(all)/2 {
		t.Errorf("of %d attempts %d began while another was under way", len(all), overlap)
	}
}

func TestWatchGivesUpAtItsLimit(t *testing.T) {
	w, err := startWatch(t.Context(), WatchSpec{Interval: time.Millisecond, Timeout: MaxWatchTimeout, Targets: []WatchTarget{{"closed", NetworkTCP, local(freePort(t)), ""}}})
	if err != nil {
		t.Fatal(err)
	}
	watched, err := w.await(t.Context(), WatchAwait{Want: map[string]bool{"closed": true}, Settle: 1, Limit: 50 * time.Millisecond})
	if err != nil || watched.Settled || len(watched.Attempts["closed"]) == 0 {
		t.Errorf("%+v, %v; want attempts that did not settle", watched, err)
	}
}

// In a sweep, a target that has shown what is wanted is left alone.
func TestWatchSweeps(t *testing.T) {
	served, closed := echoServer(t), freePort(t)
	w, err := startWatch(t.Context(), WatchSpec{Interval: time.Millisecond, Timeout: MaxWatchTimeout, Targets: []WatchTarget{
		{"served", NetworkTCP, local(served), ""}, {"closed", NetworkTCP, local(closed), ""},
	}})
	if err != nil {
		t.Fatal(err)
	}
	watched, err := w.await(t.Context(), WatchAwait{
		Want: map[string]bool{"served": true, "closed": true}, Settle: 1, Limit: 200 * time.Millisecond, Retire: true,
	})
	if err != nil || watched.Settled {
		t.Fatalf("%+v, %v", watched, err)
	}
	if done, open := len(watched.Attempts["served"]), len(watched.Attempts["closed"]); done >= open {
		t.Errorf("%d attempts at what was reached at once, %d at what never was", done, open)
	}
}

// On demand, nothing is tried but what is awaited.
func TestWatchOnDemand(t *testing.T) {
	served := local(echoServer(t))
	spec := WatchSpec{OnDemand: true, Interval: time.Millisecond, Timeout: MaxWatchTimeout, Targets: []WatchTarget{
		{"wanted", NetworkTCP, served, ""}, {"other", NetworkTCP, served, ""},
	}}
	w, err := startWatch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	watched, err := w.await(t.Context(), WatchAwait{Want: map[string]bool{"wanted": true}, Settle: 3, Limit: time.Minute})
	if err != nil || !watched.Settled || len(watched.Attempts["other"]) > 0 {
		t.Errorf("%+v, %v", watched, err)
	}
}

// Over HTTP, what counts is the status.
func TestWatchHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/allowed" {
			w.WriteHeader(http.StatusForbidden)
		}
	})}
	go func() { _ = server.Serve(l) }() // ends with Close
	defer func() { _ = server.Close() }()
	w, err := startWatch(t.Context(), WatchSpec{Interval: time.Millisecond, Timeout: MaxWatchTimeout, Targets: []WatchTarget{
		{"allowed", NetworkHTTP, l.Addr().String(), "/allowed"}, {"denied", NetworkHTTP, l.Addr().String(), "/denied"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	watched, err := w.await(t.Context(), WatchAwait{Want: map[string]bool{"allowed": true, "denied": false}, Settle: 2, Limit: time.Minute})
	if err != nil || !watched.Settled || watched.Attempts["denied"][0].Outcome != ReachStatus {
		t.Errorf("%+v, %v", watched, err)
	}
}

// A pod whose program a watch is writes its report and stays.
func TestWatchAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report")
	spec := WatchSpec{
		Interval: time.Millisecond, Timeout: MaxWatchTimeout, Targets: []WatchTarget{{"server", NetworkTCP, local(echoServer(t)), ""}},
		Await: &WatchAwait{Want: map[string]bool{"server": true}, Settle: 2, Limit: time.Minute},
	}
	go func() {
		_ = watchCommand(context.Background(), []string{"--spec", string(jsonOf(t, spec)), "--report", file}, nil, io.Discard)
	}() // waits for a signal to the test
	var out bytes.Buffer
	if err := watchCommand(t.Context(), []string{"--read", file, "--limit", "1m"}, nil, &out); err != nil {
		t.Fatal(err)
	}
	var watched Watched
	nextFrame(t, bufio.NewReader(&out), FrameWatched, &watched)
	if !watched.Settled || watched.Start.IsZero() {
		t.Errorf("%+v", watched)
	}
	if _, err := os.Stat(file + ".part"); err == nil {
		t.Error("a part of the report stayed behind")
	}
	err := watchCommand(t.Context(), []string{"--read", file + "-none", "--limit", "1ms"}, nil, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "1ms") {
		t.Errorf("error %v, want one about the limit", err)
	}
}

func TestListen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tcp, udp := freePort(t), freePort(t)
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Listen(ctx, ListenSpec{TCP: []int{tcp}, UDP: []int{udp}, SCTP: []int{tcp}}, in) }()
	var ready ListenReady
	nextFrame(t, bufio.NewReader(out), FrameReady, &ready)
	targets := []WatchTarget{{"tcp", NetworkTCP, local(tcp), ""}, {"udp", NetworkUDP, local(udp), ""}}
	want := map[string]bool{"tcp": true, "udp": true}
	if ready.NoSCTP == "" {
		targets, want["sctp"] = append(targets, WatchTarget{"sctp", NetworkSCTP, local(tcp), ""}), true
	}
	w, err := startWatch(t.Context(), WatchSpec{Targets: targets, Interval: time.Millisecond, Timeout: MaxWatchTimeout})
	if err != nil {
		t.Fatal(err)
	}
	if watched, err := w.await(t.Context(), WatchAwait{Want: want, Settle: 1, Limit: time.Minute}); err != nil || !watched.Settled {
		t.Errorf("%+v, %v", watched, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Listen() = %v", err)
	}
	if err := Listen(t.Context(), ListenSpec{}, io.Discard); err == nil {
		t.Error("it listens on nothing")
	}
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
