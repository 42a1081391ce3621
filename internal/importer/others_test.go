package importer

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"slices"
	"strings"
	"testing"
)

const (
	k6Nested = `{"metrics":{"http_reqs":{"type":"counter","values":{"count":60000,"rate":999.5}},
"http_req_failed":{"values":{"rate":0.001,"passes":60,"fails":59940}},"dropped_iterations":{"values":{"count":12}},
"http_req_duration":{"values":{"avg":1.25,"min":0.4,"med":1.1,"max":30,"p(90)":1.9,"p(95)":2.2,"p(99)":5.5}}}}`
	k6Flat = `{"metrics":{"http_reqs":{"count":60000,"rate":1000},"http_req_duration":{"avg":1.2,"min":0.4,"med":1,"max":30,"p(90)":1.9,"p(95)":2.1}}}`
)

func TestK6(t *testing.T) {
	golden(t, "k6", mustImport(t, "k6", writeFiles(t, map[string]string{
		"host/1.json": k6Flat, "cilium/1.json": k6Nested, "host/2.json": `{"metrics":{"http_reqs":{"count":0}}}`, "cilium/2.json": "not JSON",
		"host/3.json": `{"metrics":{"http_reqs":{"count":9},"http_req_failed":{"value":1}}}`,
	}), Options{}))
}

const (
	netperfTable = "MSS,Maximum,96,160,\n1 iperf TCP. Same VM using Pod IP ,24252.000000,22650.000000,0.000000,\n6 netperf. Same VM using Pod IP ,0.00,,,\n7 netperf. Remote VM using Pod IP,7738.37,,,\n8 empty,,,,\n"
	perfJSON     = `{"version":"v1","dataItems":[
{"data":{"TCP_RR_pod-to-pod_p50":41.5,"TCP_RR_pod-to-pod_p99":0},"unit":"us","labels":{"metric":"Latency","node":"other-node"}},
{"data":{"TCP_STREAM_pod-to-pod_throughput":9100.5},"unit":"Mb/s","labels":{"metric":"Throughput","node":"other-node"}},
{"data":{"Perc05":0,"Perc50":1.5,"Perc95":2},"unit":"percentage","labels":{"Metric":"LostPackets"}},
{"data":{"Value":1000},"unit":"kbytes/sec","labels":{"Metric":"Throughput"}}]}`
)

func TestPerfData(t *testing.T) {
	golden(t, "perfdata", mustImport(t, "perfdata", writeFiles(t, map[string]string{
		"calico/1.csv": netperfTable, "cilium/1.json": perfJSON, "cilium/2.json": perfJSON,
	}), Options{}))
}

const (
	netperfCSV = `Driver,Profile,Same node,Host Network,Service,New Column,Parallelism,# of Samples,Message Size,Burst,Confidence metric - low,Avg Throughput,Throughput Metric,99%tile Observed Latency,Latency Metric
netperf,TCP_STREAM,false,true,false,x,1,3,1024,0,1,2661.006667,Mb/s,12,usec
netperf,TCP_STREAM,false,false,false,x,1,3,1024,0,1,2702.23,Mb/s,,usec
netperf,TCP_RR,false,false,true,x,1,3,1024,0,1,23000.5,OP/s,65,usec
iperf3,UDP_STREAM,true,false,false,x,2,3,1024,0,1,0.000000,Mb/s,0,usec
`
	netperfJSON = `[{"uuid":"u","hostNetwork":false,"driver":"netperf","parallelism":1,"profile":"TCP_STREAM","samples":3,"messageSize":1024,"throughput":2700,"tputMetric":"Mb/s","latency":14,"ltcyMetric":"usec","serverCPU":{"idleCPU":9}},
{"hostNetwork":false,"driver":"iperf3","parallelism":2,"profile":"UDP_STREAM","samples":1,"messageSize":1024,"throughput":900,"tputMetric":"Mb/s","udpLossPercent":3.5}]`
)

func TestK8sNetperf(t *testing.T) {
	golden(t, "k8s-netperf", mustImport(t, "k8s-netperf", writeFiles(t, map[string]string{"ovn/1.csv": netperfCSV, "ovn/2.json": netperfJSON}), Options{}))
}

// knbArchiveOf packs files as knb does.
func knbArchiveOf(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{Name: "./" + name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func knbFiles() map[string]string {
	const avg = "1.66 0.00 7.33 0.08 0.50 799 11\n"
	files := map[string]string{"k8s-version": "v1.19.0\n", "kernel": "5.4.0-42-generic\n", "mtu": "1450\n", "env": "BENCHMARK_RUN_NAME=x\n"}
	for _, test := range knbTests {
		files["knb-client-"+test+"-4711-client.avg"], files["knb-client-"+test+"-4711-server.avg"] = avg, avg
		files["knb-client-"+test+"-4711.bw"] = "9834\n"
	}
	return files
}

func TestKNB(t *testing.T) {
	whole, spoilt := knbFiles(), knbFiles()
	whole["knb-client-udp-p2p-4711.log"] = "[  5]   0.00-10.00  sec  7.6 GBytes  6548 Mbits/sec  0.002 ms  1525440/5649920 (27%)  receiver\n"
	spoilt["knb-client-tcp-p2s-4711.bw"], spoilt["knb-client-udp-p2s-4711.bw"] = "\n", "0\n"
	spoilt["knb-client-tcp-p2p-4711-server.avg"] = "0 0 0 0 0 0 0\n"
	delete(spoilt, "knb-client-idle-4711-client.avg")
	spoilt["kernel"] = "5.8.0-1-generic\n"
	golden(t, "knb", mustImport(t, "knb", writeFiles(t, map[string]string{
		"doc-flannel/doc-flannel-run1.knbdata": knbArchiveOf(t, whole), "doc-flannel/doc-flannel-run2.knbdata": knbArchiveOf(t, spoilt),
	}), Options{}))
}

func TestOtherProblems(t *testing.T) {
	for _, tt := range []struct{ format, file, content, want string }{
		{"perfdata", "a/1.csv", "a,b\n", "1.csv:1: it does not begin with MSS,Maximum"},
		{"perfdata", "a/1.csv", "MSS,Maximum\nx,fast\n", `1.csv:2: "fast" is no number`},
		{"perfdata", "a/1.json", "[]", "1.json: it is no PerfData"},
		{"perfdata", "a/1.json", "{}", "1.json: it has no dataItems"},
		{"k8s-netperf", "a/1.csv", "Driver,Profile\n", `1.csv:1: the column "Host Network" is missing`},
		{"k8s-netperf", "a/1.csv", "Profile,Host Network,Avg Throughput,Throughput Metric\nTCP_STREAM,maybe,1,Mb/s\n", `1.csv:2: Host Network is "maybe"`},
		{"k8s-netperf", "a/1.csv", "Profile,Host Network,Avg Throughput,Throughput Metric\nTCP,true,1,Mb/s\nTCP,true,2,Mb/s\n", "1.csv:3: TCP.parallelism=0.size=0 of a-host in block 1 is already in"},
		{"k8s-netperf", "a/1.json", "{}", "1.json: it is no JSON list"},
		{"knb", "a-run1.knbdata", "text", "a-run1.knbdata: it is not compressed"},
		{"knb", "a-run0.knbdata", "text", `a-run0.knbdata: it is run 0 of "a"`},
		{"k6", "x.txt", "", "there is no file *.json in it"},
		{"statexec", "a.prom", "up 1\n", "a.prom: it begins with no series of statexec"},
	} {
		_, err := importInto(t, tt.format, writeFiles(t, map[string]string{tt.file: tt.content}), Options{})
		if p := problemOf(t, err); !strings.Contains(p.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.format, err, tt.want)
		}
	}
}

func FuzzK6(f *testing.F) {
	f.Add(k6Nested)
	f.Add(k6Flat)
	f.Add(`{"metrics":{"http_reqs":{"count":1,"values":{"count":1e999}}}}`)
	fuzzFile(f, "k6", "f.json")
}

func FuzzPerfTable(f *testing.F) {
	f.Add(netperfTable)
	f.Add("MSS,Maximum,96\na,1,2,3\n")
	fuzzFile(f, "perfdata", "f.csv")
}

func FuzzPerfData(f *testing.F) {
	f.Add(perfJSON)
	f.Add(`{"dataItems":[{"data":{"":-1e308},"labels":{"":""}}]}`)
	fuzzFile(f, "perfdata", "f.json")
}

func FuzzK8sNetperf(f *testing.F) {
	f.Add(netperfCSV)
	f.Add(netperfJSON)
	fuzzFile(f, "k8s-netperf", "f.csv")
}

func FuzzKNB(f *testing.F) {
	f.Add(knbArchiveOf(f, knbFiles()))
	f.Add("\x1f\x8b")
	fuzzFile(f, "knb", "f.knbdata")
}
