package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// Who answers is told with the first reply, who never does with the reason, and
// nobody waits for anybody else.
func TestGreet(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	late, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = late.Close() }()
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := nobody.Addr().String()
	if err := nobody.Close(); err != nil {
		t.Fatal(err)
	}
	stdin, toStdin := io.Pipe()
	fromStdout, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- greetCommand(ctx, nil, stdin, stdout) }()
	send := func(v any) {
		line, err := json.Marshal(v)
		if err == nil {
			_, err = fmt.Fprintf(toStdin, "%s\n", line)
		}
		if err != nil {
			t.Error(err)
		}
	}
	frames := bufio.NewReader(fromStdout)
	read := func() (kind string, g Greeted) {
		kind, payload, err := ReadFrame(frames)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(payload, &g); err != nil {
			t.Fatal(err)
		}
		return kind, g
	}
	go send(GreetSpec{Interval: 5 * time.Millisecond, Timeout: 300 * time.Millisecond, Limit: 500 * time.Millisecond})
	if kind, _ := read(); kind != FrameReady {
		t.Fatalf("the first frame is %s", kind)
	}
	go func() {
		send(GreetTarget{Name: "nobody", Address: refused})
		send(GreetTarget{Name: "late", Address: late.Addr().String()})
		go func() { _ = echoStreams(late) }()
	}()
	if kind, g := read(); kind != FrameGreeted || g.Name != "late" || !g.Replied || g.Attempts < 1 {
		t.Errorf("%s %+v, want the one that answers", kind, g)
	}
	if _, g := read(); g.Name != "nobody" || g.Replied || g.Last != ReachRefused || g.Attempts < 2 {
		t.Errorf("%+v, want several attempts, all refused", g)
	}
	if err := toStdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestGreetRefuses(t *testing.T) {
	good := GreetSpec{Interval: 1, Timeout: 1, Limit: 1}
	for _, s := range []GreetSpec{{}, {Interval: 1, Timeout: MaxWatchTimeout + 1, Limit: 1}, {Interval: 1, Timeout: 1}} {
		if s.Validate() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, target := range []GreetTarget{{Address: "10.0.0.1:1"}, {Name: "a", Address: "host:1"}} {
		if target.validate() == nil {
			t.Errorf("%+v is taken", target)
		}
	}
}
