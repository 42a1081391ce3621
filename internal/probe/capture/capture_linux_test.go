package capture

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The loopback device shows every packet twice: as it leaves and as it arrives.
func TestRun(t *testing.T) {
	local := addr("127.0.0.1")
	spec := Spec{Address: local, Canary: []byte(canary), Timeout: time.Minute}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	send := func(Ready) error {
		conn, err := net.Dial("udp", "127.0.0.1:9")
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }() // nothing is buffered in it
		_, err = conn.Write([]byte("before " + canary + " after"))
		cancel()
		return err
	}
	r, err := Run(ctx, spec, send)
	if errors.Is(err, unix.EPERM) {
		t.Skip("packet sockets need CAP_NET_RAW")
	}
	if err != nil || r.Interface != "lo" || !r.Prefix.Contains(local) {
		t.Fatalf("Run() = %+v, %v", r, err)
	}
	leaving := 0
	for _, c := range r.Counts {
		if c.Source == local && c.Transport == "udp" && c.Leaving && c.Canary == 1 && c.Lengths[20+8+7+len(canary)+6] == 1 {
			leaving++
		}
	}
	if leaving != 1 {
		t.Errorf("counts are %+v", r.Counts)
	}
}

func TestRunOfAnUnknownAddress(t *testing.T) {
	spec := Spec{Address: addr("192.0.2.77"), Canary: []byte(canary), Timeout: time.Minute}
	if r, err := Run(t.Context(), spec, func(Ready) error { return nil }); err == nil {
		t.Errorf("Run() = %+v", r)
	}
}
