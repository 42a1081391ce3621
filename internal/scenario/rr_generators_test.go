package scenario

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

func closedLoad() rrLoad {
	return rrLoad{
		client: pace.Spec{Kind: pace.TCPRR, Connections: 1, Gaps: pace.Exponential, RequestBytes: 64, ResponseBytes: 64, Duration: 2e9},
		server: pace.ServeSpec{Kind: pace.TCPRR, Address: "10.9.0.2"}, ends: stage.Ends{Placement: stage.CrossNode}, path: stage.PodIP,
	}
}

func TestRRToolRefuses(t *testing.T) {
	const carries = ""
	for _, tt := range []struct {
		name                     string
		change                   func(*rrLoad)
		sockperf, qperf, netperf string // a part of the reason
	}{
		{"a closed loop", func(*rrLoad) {}, carries, carries, carries},
		{"connections", func(l *rrLoad) { l.client.Connections = 8 }, "write connections: 1", "write connections: 1", "write connections: 1"},
		{"sizes", func(l *rrLoad) { l.client.ResponseBytes = 1 }, "not 64 with 1", "not 64 with 1", "not 64 with 1"},
		{"delay", func(l *rrLoad) { l.server.Delay = 1 }, "no server that delays", "no server that delays", "no server that delays"},
		{"rate", func(l *rrLoad) { l.client.Rate, l.client.Gaps = 100, pace.Fixed }, carries, "write rate: 0", "write rate: 0"},
		{"gaps", func(l *rrLoad) { l.client.Rate = 100 }, "write gaps: fixed", "write rate: 0", "write rate: 0"},
		{"node port", func(l *rrLoad) { l.path = stage.NodePort }, carries, "which a node port changes", "which a node port changes"},
		{"name", func(l *rrLoad) { l.path = stage.ServiceName }, "resolves no names", carries, carries},
	} {
		l := closedLoad()
		tt.change(&l)
		for generator, want := range map[string]string{sockperfGenerator: tt.sockperf, qperfGenerator: tt.qperf, netperfGenerator: tt.netperf} {
			tool, err := rrToolOf(generator, l)
			if want == carries {
				if err != nil || len(tool.tcp)+len(tool.udp) == 0 {
					t.Errorf("%s, %s: listens on %v and %v, %v", tt.name, generator, tool.tcp, tool.udp, err)
				}
				continue
			}
			var unsupported *stage.UnsupportedError
			if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v, want an *UnsupportedError with %q", tt.name, generator, err, want)
			}
		}
	}
}

// A tool's client is sent to the address, and its server listens behind it.
func TestRRToolCommands(t *testing.T) {
	l := closedLoad()
	for generator, want := range map[string][2]string{
		sockperfGenerator: {"sockperf server -p 11111 -i 10.9.0.2 --tcp", "sockperf ping-pong -i 10.9.0.9 -p 11111 -t 2 -m 64 --full-rtt --dontwarmup --mps max --tcp"},
		qperfGenerator:    {"qperf -lp 19765", "qperf -lp 19765 -ip 19766 -ws 0 -t 2 -m 64 -uu -e 9 -vvs -vvt -vvu 10.9.0.9 tcp_lat"},
		netperfGenerator: {"netserver -D -p 12865", "netperf -H 10.9.0.9 -p 12865 -t TCP_RR -l 2 -- -P ,12866 -r 64,64 -k " +
			"THROUGHPUT,THROUGHPUT_UNITS,ELAPSED_TIME,PROTOCOL,DIRECTION,REQUEST_SIZE,RESPONSE_SIZE,MIN_LATENCY,MEAN_LATENCY,MAX_LATENCY," +
			"P50_LATENCY,P90_LATENCY,P99_LATENCY,STDDEV_LATENCY,LOCAL_CONG_CONTROL,REMOTE_CONG_CONTROL,LOCAL_TRANSPORT_RETRANS"},
	} {
		tool, err := rrToolOf(generator, l)
		if err != nil {
			t.Fatal(err)
		}
		client, err := tool.client(stage.Address{Host: "10.9.0.9"})
		if err != nil {
			t.Fatal(err)
		}
		got := [2]string{strings.Join(tool.server.Argv, " "), strings.Join(client.Argv, " ")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", generator, diff)
		}
	}
}

func valuesByName(values []result.Value) map[string]float64 {
	all := map[string]float64{}
	for _, v := range values {
		all[v.Name] = v.Value
	}
	return all
}

func TestRRToolReads(t *testing.T) {
	for _, tt := range []struct {
		name string
		read func(probe.ProcessReport) (rrToolResult, error)
		from [2]string
		want map[string]float64
		help string // that all latencies end with
	}{
		{"netperf", readNetperf, [2]string{"netperf", "tcp-rr"}, map[string]float64{
			"latency-p99": 127e-6, "latency-p50": 20e-6, "latency-mean": 29.06e-6, "latency-sd": 167.42e-6, "rate": 34331.69,
		}, closedHelp},
		{"qperf", readQperf, [2]string{"qperf", "tcp-lat"}, map[string]float64{"latency-mean": 32.874e-6, "rate": 30420}, closedHelp},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read, err := tt.read(generatorReport(t, tt.from[0], tt.from[1]).Processes[0])
			if err != nil {
				t.Fatal(err)
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) })
			if diff := cmp.Diff(tt.want, valuesByName(read.values), near); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			for _, v := range read.values {
				if v.Unit == "s" && !strings.HasSuffix(v.Help, tt.help) {
					t.Errorf("%s does not say that its loop is closed: %s", v.Name, v.Help)
				}
			}
		})
	}
	if _, err := readNetperf(generatorReport(t, "netperf", "tcp-stream").Processes[0]); err == nil {
		t.Error("a stream has latencies")
	}
}

// With a rate, what was not answered is a value, and a sender that did not
// keep up marks the trial.
func TestReadSockperfPaced(t *testing.T) {
	read, err := readSockperf(generatorReport(t, "sockperf", "overload-udp").Processes[0], "", true)
	if err != nil {
		t.Fatal(err)
	}
	values := valuesByName(read.values)
	if values["unanswered"] < 1 || values["latency-p999"] <= values["latency-p99"] || len(read.marks) != 1 || read.marks[0].Name != "generator-limited" {
		t.Errorf("values %v, marks %v", values, read.marks)
	}
	read, err = readSockperf(generatorReport(t, "sockperf", "under-load-udp").Processes[0], "", true)
	if err != nil {
		t.Fatal(err)
	}
	if values = valuesByName(read.values); values["latency-p999"] != 0 || len(read.marks) != 0 {
		t.Errorf("1,491 answers: values %v, marks %v", values, read.marks)
	}
}

func TestCongestionBy(t *testing.T) {
	var invalid *stage.InvalidError
	if got, err := congestionBy(rrToolResult{local: "cubic", remote: "cubic"}, probe.Netns{}, probe.Netns{}); got != "cubic" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := congestionBy(rrToolResult{local: "cubic", remote: "bbr"}, probe.Netns{}, probe.Netns{}); !errors.As(err, &invalid) {
		t.Errorf("sockets that differ: %v", err)
	}
}
