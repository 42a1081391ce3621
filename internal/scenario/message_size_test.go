package scenario

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// What does not fit into a datagram is known before anything is asked of a
// cluster.
func TestMessageSizeBeyondADatagram(t *testing.T) {
	v := parameter.Values{"size": "64KiB", "protocol": "udp", "duration": "4s"}
	_, err := measureMessageSize(t.Context(), nil, plan.Cell{Parameters: v})
	var unsupported *stage.UnsupportedError
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "at most 65507 bytes, not 65536") {
		t.Errorf("error %v", err)
	}
}

func TestMessageSizeValues(t *testing.T) {
	parse := func(name string) load.QperfResult {
		r, err := load.ParseQperf(generatorReport(t, "qperf", name).Processes[0])
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	overUDP := valuesByName(messageSizeValues(true, parse("udp-lat"), parse("udp-bw")))
	if overUDP["latency-one-way"] != 13463e-9 || overUDP["throughput"] != 8*112233472 || math.Abs(overUDP["loss"]-28.148) > 0.001 {
		t.Errorf("UDP: %v", overUDP)
	}
	overTCP := valuesByName(messageSizeValues(false, parse("tcp-lat"), parse("tcp-bw")))
	if _, there := overTCP["loss"]; there || overTCP["throughput"] != 8*207422464 {
		t.Errorf("TCP: %v", overTCP)
	}
}

// A half is read with when it took place.
func TestQperfHalf(t *testing.T) {
	report := generatorReport(t, "qperf", "tcp-lat")
	r, w, err := qperfHalf(report)
	if err != nil || w.Start.Before(report.Processes[0].Start) || w.Duration() > r.Duration {
		t.Errorf("window %v of %v, %v", w, r.Duration, err)
	}
	if _, _, err := qperfHalf(generatorReport(t, "qperf", "server-killed-bw")); err == nil {
		t.Error("a server that was killed is a result")
	}
}
