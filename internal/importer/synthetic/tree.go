// Package synthetic writes a directory of the shape of the benchmark of 2024,
// of invented figures: the published data has no licence and is nobody's to
// ship. Tests and measurements use it, nothing else.
package synthetic

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Variants are the ids of the data set, bare metal first.
var Variants = []string{
	"baremetal", "antrea", "antrea-ipsec", "antrea-noencap", "antrea-wg", "calico", "calico-ebpf", "calico-ebpf-wg", "calico-vpp",
	"calico-vpp-ipsec", "calico-vpp-wg", "calico-wg", "canal", "cilium", "cilium-hubble-full", "cilium-ipsec", "cilium-nohubble",
	"cilium-nokproxy", "cilium-wg", "flannel", "kubeovn", "kuberouter", "kuberouter-all",
}

// Tests in the order in which they ran; bare metal has the first five.
var Tests = []string{"idle", "dts", "dtm", "dus", "dum", "sts", "stm", "sus", "sum"}

// Start is the sampler's clock at its start, in milliseconds: every run had
// the same.
const Start = 1704067200000

// Tree is the shape of what is written.
type Tree struct {
	Variants []string
	Runs     int
	CPUs     int  // per machine; the published data has 32
	Series   bool // with the large .prom files
}

// Cores that both machines use together while the load is measured, by mode.
// On the server the command runs on for 12 s without load.
const (
	User    = 0.1
	System  = 0.5
	SoftIRQ = 0.8
	// Memory of one machine, in bytes.
	Memory = 1_600_000_000
)

// Bandwidth of a test in a run, in bit/s.
func Bandwidth(variant, run int) float64 { return 20e9 + 1e8*float64(variant) + 1e9*float64(run) }

// Write makes the tree in dir, which holds results/ then.
func (t Tree) Write(dir string) error {
	for v, id := range t.Variants {
		for run := 1; run <= t.Runs; run++ {
			path := filepath.Join(dir, "results", id, strconv.Itoa(run))
			if err := os.MkdirAll(path, 0o755); err != nil {
				return err
			}
			if err := t.writeRun(path, v, id, run); err != nil {
				return err
			}
		}
		// Tab-separated with a trailing tab; and gauges, one of which has two
		// blanks for a value.
		top := filepath.Join(dir, "results", id)
		if err := write(filepath.Join(top, "results-spreadsheet.csv"), "0.01\t\t1600000000\t\n"); err != nil {
			return err
		}
		gauges := fmt.Sprintf("benchmark_iperf_bandwidth_bits_per_second{id=%q,run=\"1\",test=\"dts\"}  %d\n", id, int64(Start))
		if err := write(filepath.Join(top, "results.prom"), gauges); err != nil {
			return err
		}
	}
	return nil
}

func (t Tree) writeRun(dir string, v int, id string, run int) error {
	kernel := "5.15.0-92-generic"
	if v > 0 {
		kernel = "5.15.0-100-generic"
	}
	if err := write(filepath.Join(dir, "info-client.uname"), "Linux a3 "+kernel+" #102-Ubuntu SMP x86_64 GNU/Linux\n"); err != nil {
		return err
	}
	if err := write(filepath.Join(dir, "info-netpol"), "Ingress\tEgress\nyes\tyes\n"); err != nil {
		return err
	}
	for i, test := range Tests {
		if id == "baremetal" && i > 4 {
			break
		}
		base := filepath.Join(dir, test)
		if err := write(base+"-client.stdout", Report(test, Bandwidth(v, run))); err != nil {
			return err
		}
		if err := write(base+".results", Results(test, Bandwidth(v, run))); err != nil {
			return err
		}
		for _, role := range []string{"client", "server"} {
			if err := write(base+"-"+role+".cmd", "statexec -mst "+strconv.Itoa(Start)+" …\n"); err != nil {
				return err
			}
			if !t.Series {
				continue
			}
			if err := t.WriteSeries(base+"-"+role+".prom", test, role, id, run); err != nil {
				return err
			}
		}
	}
	return nil
}

func write(name, content string) error { return os.WriteFile(name, []byte(content), 0o644) }

// modes in an order that is not that of the kernel.
var modes = []string{"nice", "iowait", "irq", "guest", "system", "idle", "steal", "guestNice", "user", "softirq"}

// WriteSeries writes what the sampler of one machine has: 84 seconds, of which
// the load takes 11 to 72. The client's command runs from 11 to 72, the
// server's from 10 to 83.9, of an idle test both from 10 to 70.
func (t Tree) WriteSeries(name, test, role, id string, run int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20) // Flush tells what went wrong
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
	say("# Collector: blackswift/statexec\n# Version: 0.8.0\n# TYPE statexec_cpu_seconds_total counter\n"+
		"#grafana-annotation {\"time\":%d,\"text\":\"Command started\"}\n", int64(Start+10001))
	common := fmt.Sprintf(`instance=%q,job="statexec",role=%q`, test, role)
	own := fmt.Sprintf(`,id=%q,run="%d"`, id, run)
	from, to := 11, 72
	switch {
	case test == "idle":
		from, to = 10, 70
	case role == "server":
		from, to = 10, 83
	}
	var line []byte
	for second := range 84 {
		stamp := strconv.FormatInt(Start+1000*int64(second), 10)
		status := 0
		if second >= to {
			status = 2
		} else if second >= from {
			status = 1
		}
		say("statexec_command_status{%s%s} %d %s\n", common, own, status, stamp)
		for c := range t.CPUs {
			for _, mode := range modes {
				line = append(append(line[:0], "statexec_cpu_seconds_total{"...), common...)
				line = append(line, `,cpu="cpu`...)
				line = strconv.AppendInt(line, int64(c), 10)
				line = append(append(append(line, `",mode="`...), mode...), '"')
				line = append(append(line, own...), "} "...)
				line = strconv.AppendFloat(line, t.seconds(mode, second), 'f', 6, 64)
				line = append(append(append(line, ' '), stamp...), '\n')
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		}
		say("statexec_memory_used_bytes{%s%s} %d %s\nstatexec_memory_total_bytes{%s%s} 135000000000 %s\n", common, own, Memory, stamp, common, own, stamp)
	}
	say("statexec_summary_cpu_mean_seconds{%s,mode=\"softirq\"%s} 0.000333 %d\n", common, own, Start+int64(1000*to))
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// seconds is a CPU's time in a mode: half of what both machines use while the
// load runs, and next to nothing before and after. Guests' time is in the
// user's, and must not be counted again.
func (t Tree) seconds(mode string, second int) float64 {
	loaded := float64(min(max(second-11, 0), 61))
	share := map[string]float64{"user": User, "system": System, "softirq": SoftIRQ, "guest": User / 2, "idle": float64(2*t.CPUs) - User - System - SoftIRQ}[mode]
	return 1000 + loaded*share/2/float64(t.CPUs)
}

// Report is what the client's iperf3 prints; nothing for an idle test. It
// received what it is asked for, and sent 1 % more.
func Report(test string, bits float64) string {
	if test == "idle" {
		return ""
	}
	protocol, streams := "TCP", 1
	if test[1] == 'u' {
		protocol = "UDP"
	}
	if test[2] == 'm' {
		streams = 8
	}
	sum := func(bits, seconds float64, more string) string {
		return fmt.Sprintf(`{"start":0,"end":%g,"seconds":%g,"bytes":%d,"bits_per_second":%g%s}`, seconds, seconds, int64(bits*seconds/8), bits, more)
	}
	return fmt.Sprintf(`{"start":{"connected":[{"socket":5}],"version":"iperf 3.16","timestamp":{"timesecs":1706400000},"connecting_to":{"host":"10.42.2.3","port":5201},
"cookie":"abc","tcp_mss_default":8898,"test_start":{"protocol":%q,"num_streams":%d,"blksize":8898,"omit":1,"duration":60,"reverse":0,"bidir":0}},
"intervals":[{"streams":[{"rtt":95,"pmtu":8950}],"sum":%s},{"streams":[{"rtt":95,"pmtu":8950}],"sum":%s}],
"end":{"streams":[{"sender":{"mean_rtt":95},"udp":{"out_of_order":0}}],"sum":%s,"sum_sent":%s,"sum_received":%s,
"cpu_utilization_percent":{"host_total":80,"host_user":2,"host_system":78,"remote_total":99,"remote_user":3,"remote_system":96},
"sender_tcp_congestion":"cubic","receiver_tcp_congestion":"cubic"}}
`, protocol, streams, sum(bits*1.01, 1, `,"omitted":true,"retransmits":4`), sum(bits*1.01, 60, `,"omitted":false,"retransmits":600`),
		sum(bits*1.01, 60, ""), sum(bits*1.01, 60, `,"retransmits":600,"lost_percent":0`),
		sum(bits, 60, `,"packets":1000000,"lost_packets":10000,"jitter_ms":0.02,"lost_percent":1`))
}

// Results is what the source's scripts made of a test: user and system alone,
// of a single machine each.
func Results(test string, bits float64) string {
	upper := map[string]string{"idle": "IDLE", "dts": "DTS", "dtm": "DTM", "dus": "DUS", "dum": "DUM", "sts": "STS", "stm": "STM", "sus": "SUS", "sum": "SUM"}[test]
	text := ""
	for _, role := range []string{"CLIENT", "SERVER"} {
		text += fmt.Sprintf("%[1]s_%[2]s_SYSTEM=%[3]g\n%[1]s_%[2]s_USER=%[4]g\n%[1]s_%[2]s_MEM=%[5]d\n", upper, role, System/2, User/2, int64(Memory))
	}
	switch {
	case test == "idle":
	case test[1] == 't':
		text += fmt.Sprintf("%s_BW=%f\n%s_RTS=600\n", upper, bits, upper)
	default:
		text += fmt.Sprintf("%[1]s_BW=%[2]f\n%[1]s_JITTER=0.02\n%[1]s_LOST=1\n", upper, bits)
	}
	return text
}
