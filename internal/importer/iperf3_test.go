package importer

import (
	"fmt"
	"strings"
	"testing"
)

// A report of iperf3 3.16 in short: two seconds, the first omitted.
func iperf3TCP(gbits float64, retransmits int) string {
	bytes := int64(gbits * 1e9 / 8)
	return fmt.Sprintf(`{"start":{"connected":[{"socket":5}],"version":"iperf 3.16","timestamp":{"timesecs":1706400000},"connecting_to":{"host":"10.42.0.9","port":5201},
"cookie":"c","tcp_mss_default":8898,"test_start":{"protocol":"TCP","num_streams":1,"blksize":131072,"omit":1,"duration":1,"reverse":0,"bidir":0}},
"intervals":[{"streams":[{"rtt":90,"pmtu":8950}],"sum":{"start":0,"end":1,"seconds":1,"bytes":%[1]d,"bits_per_second":%[2]g,"retransmits":9,"omitted":true}},
{"streams":[{"rtt":90,"pmtu":8950}],"sum":{"start":0,"end":1,"seconds":1,"bytes":%[1]d,"bits_per_second":%[2]g,"retransmits":%[3]d,"omitted":false}}],
"end":{"streams":[{"sender":{"mean_rtt":95}}],"sum_sent":{"start":0,"end":1,"seconds":1,"bytes":%[1]d,"bits_per_second":%[2]g,"retransmits":%[3]d},
"sum_received":{"start":0,"end":1,"seconds":1,"bytes":%[1]d,"bits_per_second":%[2]g},
"cpu_utilization_percent":{"host_total":80,"host_user":1,"host_system":79,"remote_total":90,"remote_user":1,"remote_system":89},
"sender_tcp_congestion":"cubic","receiver_tcp_congestion":"cubic"}}`, bytes, gbits*1e9, retransmits)
}

// What was sent and what arrived differ, and the sum says what was sent.
func iperf3UDP(version string, sent, received float64, packets, lost int) string {
	return fmt.Sprintf(`{"start":{"connected":[{"socket":5}],"version":"%s","timestamp":{"timesecs":1706400000},"connecting_to":{"host":"10.42.0.9","port":5201},
"cookie":"c","test_start":{"protocol":"UDP","num_streams":1,"blksize":8898,"omit":1,"duration":1,"reverse":0}},
"intervals":[{"streams":[{}],"sum":{"start":0,"end":1,"seconds":1,"bytes":%[2]d,"bits_per_second":%[3]g,"packets":10,"omitted":true}},
{"streams":[{}],"sum":{"start":0,"end":1,"seconds":1,"bytes":%[2]d,"bits_per_second":%[3]g,"packets":10,"omitted":false}}],
"end":{"streams":[{"udp":{"out_of_order":0}}],"sum":{"bytes":%[2]d,"seconds":1,"bits_per_second":%[3]g,"lost_percent":0},
"sum_sent":{"bytes":%[2]d,"seconds":1,"bits_per_second":%[3]g,"lost_percent":0,"packets":%[5]d,"lost_packets":0,"jitter_ms":0},
"sum_received":{"bytes":%[2]d,"seconds":1,"bits_per_second":%[4]g,"jitter_ms":0.012,"lost_packets":%[6]d,"packets":%[5]d,"lost_percent":1},
"cpu_utilization_percent":{"host_total":80,"host_user":1,"host_system":79,"remote_total":90,"remote_user":1,"remote_system":89}}}`,
		version, int64(sent*1e9/8), sent*1e9, received*1e9, packets, lost)
}

const iperf3Failed = `{"start":{"connected":[],"version":"iperf 3.16","system_info":"Linux"},"intervals":[],"end":{},
"error":"unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Name or service not known"}`

func TestIperf3(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"host/1.json": iperf3TCP(39.5, 12), "host/2.json": iperf3TCP(39.4, 0),
		"cilium/1.json": iperf3TCP(22.3, 15800), "cilium/2.json": "",
		"flannel/udp/1.json": iperf3UDP("iperf 3.16", 7.236, 7.191, 6099530, 31000), "flannel/udp/2.json": iperf3Failed,
		"flannel/udp/3.json": iperf3UDP("iperf 3.12", 7.236, 7.191, 10, 11), "flannel/udp/4.json": iperf3UDP("iperf 3.12", 7.2, 7.1, 10, 1),
	})
	golden(t, "iperf3", mustImport(t, "iperf3", dir, Options{Campaign: "Runs of mine"}))
}

func TestIperf3Names(t *testing.T) {
	dir := writeFiles(t, map[string]string{"host-bulk-1.json": iperf3TCP(1, 0), "a-b-bulk-2.json": iperf3TCP(1, 0)})
	_, err := importInto(t, "iperf3", dir, Options{})
	if p := problemOf(t, err); !strings.Contains(p.Error(), "a-b-bulk-2.json: its path is not of the form VARIANT/BLOCK") {
		t.Error(err)
	}
	_, err = importInto(t, "iperf3", dir, Options{Pattern: "{vriant}-{block}.json"})
	if p := problemOf(t, err); !strings.Contains(p.Error(), "{vriant} is there twice or is none of {variant}") {
		t.Error(err)
	}
	_, err = importInto(t, "iperf3", dir, Options{Pattern: "*-{variant}-*.json"})
	if p := problemOf(t, err); !strings.Contains(p.Error(), "in block 1, and so is") && !strings.Contains(p.Error(), "is not of the form") {
		t.Error(err)
	}
	got := mustImport(t, "iperf3", dir, Options{Pattern: "{variant}-bulk-{block}.json"})
	if len(got.plan.Variants) != 2 || got.plan.Variants[0].Name != "host" || got.plan.Variants[1].Name != "a-b" || got.plan.Name == "" {
		t.Errorf("%+v", got.plan)
	}
}

func FuzzIperf3(f *testing.F) {
	f.Add(iperf3TCP(10, 1))
	f.Add(iperf3UDP("iperf 3.16", 7, 6, 10, 1))
	f.Add(iperf3Failed)
	f.Add("")
	fuzzFile(f, "iperf3", "f.json")
}
