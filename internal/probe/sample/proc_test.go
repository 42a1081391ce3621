package sample

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func procFixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "proc", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseStat(t *testing.T) {
	got, err := parseStat(procFixture(t, "stat"))
	if err != nil {
		t.Fatal(err)
	}
	want := procStat{
		total: Modes{User: 642.85, Nice: 0.12, System: 180.26, Idle: 669.58, IOWait: 12.26, IRQ: 0.07, SoftIRQ: 1.89, Steal: 6.85},
		cores: []Core{
			{0, Modes{User: 317.87, Nice: 0.06, System: 86.24, Idle: 348.11, IOWait: 0.97, IRQ: 0.03, SoftIRQ: 0.29, Steal: 3.41}},
			{2, Modes{User: 324.98, Nice: 0.06, System: 94.02, Idle: 321.47, IOWait: 11.29, IRQ: 0.04, SoftIRQ: 1.60, Steal: 3.44}},
		},
		switches: 2064791,
		tasks:    &Tasks{Running: 2, Blocked: 0, Forks: 12345},
		softirqs: []uint64{0, 61234, 5, 21310, 0, 0, 4, 301234, 0, 116337},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(procStat{})); diff != "" {
		t.Errorf("stat (-want +got):\n%s", diff)
	}
}

func TestParseNetworkFiles(t *testing.T) {
	devices, err := parseNetDev(procFixture(t, "net/dev"))
	if err != nil {
		t.Fatal(err)
	}
	wantDevices := map[string]Traffic{
		"lo":      {RxBytes: 3293, RxPackets: 31, TxBytes: 3293, TxPackets: 31},
		"eth0":    {488874370, 25579, 1, 2, 1899707, 18071, 3, 4},
		"veth1:2": {10, 20, 30, 40, 50, 60, 70, 80},
	}
	if diff := cmp.Diff(wantDevices, devices); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	softnet, err := parseSoftnet(procFixture(t, "net/softnet_stat"))
	if err != nil {
		t.Fatal(err)
	}
	wantSoftnet := []softnetCPU{{0, 0x13, 2, 1}, {1, 0xfffffff0, 0, 10}}
	if diff := cmp.Diff(wantSoftnet, softnet, cmp.AllowUnexported(softnetCPU{})); diff != "" {
		t.Errorf("softnet (-want +got):\n%s", diff)
	}
}

func TestParseMachineFiles(t *testing.T) {
	memory, err := parseMeminfo(procFixture(t, "meminfo"))
	if err != nil {
		t.Fatal(err)
	}
	wantMemory := &Memory{
		Total: 24684096 << 10, Free: 22553332 << 10, Available: 24183236 << 10, Buffers: 53252 << 10,
		Cached: 1501124 << 10, Slab: 431290 << 10, Reclaimable: 400120 << 10, Shmem: 8788 << 10,
	}
	if diff := cmp.Diff(wantMemory, memory); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	pressure, err := parsePressure(procFixture(t, "pressure/cpu"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Pressure{Some: 232.578165, Full: ref(1.5)}, pressure); diff != "" {
		t.Errorf("pressure (-want +got):\n%s", diff)
	}
}

func TestParseProtocols(t *testing.T) {
	table := &protocolTable{protocol: "TcpExt:", wanted: tcpExtCounters}
	for range 2 { // the second time with the columns that it remembers
		ext, err := table.parse(procFixture(t, "net/netstat"))
		if err != nil {
			t.Fatal(err)
		}
		if len(ext) != len(tcpExtCounters) || ext["TCPBacklogDrop"] != 0 || ext["TCPDSACKRecv"] == 0 {
			t.Errorf("TcpExt = %v", ext)
		}
	}
	tcp, err := tcpTable().parse(procFixture(t, "net/snmp"))
	if err != nil || len(tcp) != len(tcpCounters) || tcp["InSegs"] != 775614 || tcp["RetransSegs"] != 96 {
		t.Errorf("TCP = %v, %v", tcp, err)
	}
	udp6, err := parseUDP6(procFixture(t, "net/snmp6"))
	if err != nil || len(udp6) != len(udpCounters) || udp6["InDatagrams"] == 0 {
		t.Errorf("UDP over IPv6 = %v, %v", udp6, err)
	}
	older, err := (&protocolTable{protocol: "Udp:", wanted: udpCounters}).parse([]byte("Udp: InDatagrams NoPorts InErrors\nUdp: 7 8 9\n"))
	if diff := cmp.Diff(map[string]uint64{"InDatagrams": 7, "NoPorts": 8, "InErrors": 9}, older); err != nil || diff != "" {
		t.Errorf("a kernel with fewer counters (-want +got), %v:\n%s", err, diff)
	}
}

func TestParseSockets(t *testing.T) {
	got, err := parseSockstat(procFixture(t, "net/sockstat"), 4096)
	if err != nil {
		t.Fatal(err)
	}
	if err := parseSockstat6(procFixture(t, "net/sockstat6"), got); err != nil {
		t.Fatal(err)
	}
	want := &Sockets{
		Used: 34, TCP: 17, TCP6: got.TCP6, TimeWait: 58, UDP: 0, UDP6: got.UDP6,
		TCPMemory: 1302 * 4096, UDPMemory: 256 * 4096, Fragments: ref[uint64](768),
	}
	if diff := cmp.Diff(want, got); diff != "" || got.TCP6 == nil || got.UDP6 == nil {
		t.Errorf("sockets (-want +got):\n%s", diff)
	}
}

func TestParseDiskstats(t *testing.T) {
	// Kernels before 4.18 have 11 counters, those before 5.5 have 15, newer ones 17.
	for _, line := range []string{
		"   8       0 sda 10 1 20 3 40 5 60 7 0 9 11\n",
		"   8       0 sda 10 1 20 3 40 5 60 7 0 9 11 0 0 0 0\n",
		"   7       0 loop0 1 1 1 1 1 1 1 1 1 1 1\n   8       0 sda 10 1 20 3 40 5 60 7 0 9 11 0 0 0 0 0 0\n",
	} {
		got, err := parseDiskstats([]byte(line))
		want := []diskLine{{name: "sda", reads: 10, readBytes: 20 * 512, writes: 40, written: 60 * 512, busyMillis: 9}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(diskLine{})); err != nil || diff != "" {
			t.Errorf("%q (-want +got), %v:\n%s", line, err, diff)
		}
	}
}

func TestParseConntrackStat(t *testing.T) {
	got, err := ParseConntrackStat(procFixture(t, "net/stat/nf_conntrack"))
	want := map[string]uint64{"drop": 0x1a, "early_drop": 1, "insert_failed": 4, "invalid": 4, "clashres": 2, "search_restart": 7}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("events (-want +got), %v:\n%s", err, diff)
	}
}

func TestParseCPUList(t *testing.T) {
	got, err := parseCPUList("0-2,8")
	if diff := cmp.Diff([]int{0, 1, 2, 8}, got); err != nil || diff != "" {
		t.Errorf("(-want +got), %v:\n%s", err, diff)
	}
}

func TestIRQTime(t *testing.T) {
	tests := map[string]string{
		"CONFIG_HZ=250\nCONFIG_IRQ_TIME_ACCOUNTING=y\n":            irqExact,
		"# CONFIG_IRQ_TIME_ACCOUNTING is not set\nCONFIG_HZ=250\n": irqTick,
		"not a configuration":                                      irqUnknown,
	}
	for config, want := range tests {
		if got := irqTime(strings.NewReader(config)); got != want {
			t.Errorf("irqTime(%q) = %s, want %s", config, got, want)
		}
	}
}

// What is cut short or missing is an error, never a 0.
func TestParsersRefuse(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"stat without steal", second(parseStat([]byte("cpu 1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7\nctxt 1\n"))), "field 8"},
		{"stat without cores", second(parseStat([]byte("cpu 1 2 3 4 5 6 7 8\nctxt 1\n"))), "no line cpu, cpu0"},
		{"stat with a word", second(parseStat([]byte("cpu 1 2 3 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8\nctxt x\n"))), `line "ctxt"`},
		{"meminfo without Slab", second(parseMeminfo([]byte("MemTotal: 1 kB\nMemTotal: 1 kB\nMemFree: 1 kB\nMemAvailable: 1 kB\nBuffers: 1 kB\nCached: 1 kB\nSReclaimable: 1 kB\nShmem: 1 kB\n"))), "lacks one of"},
		{"net/dev cut", second(parseNetDev([]byte("Inter-|\n face |bytes\neth0: 1 2 3\n"))), `interface "eth0": field 4`},
		{"snmp cut", second(tcpTable().parse([]byte("Tcp: InSegs\n"))), "no values"},
		{"snmp without Tcp", second(tcpTable().parse([]byte("Udp: InErrors\nUdp: 1\n"))), "no Tcp:"},
		{"snmp with too few values", second(tcpTable().parse([]byte("Tcp: RtoMin InSegs\nTcp: 1\n"))), "InSegs"},
		{"snmp6 without UDP", second(parseUDP6([]byte("Ip6InReceives 1\n"))), "no Udp6"},
		{"softnet empty", second(parseSoftnet(nil)), "empty"},
		{"softnet with a word", second(parseSoftnet([]byte("1 2 3 x\n"))), "hexadecimal"},
		{"pressure empty", second(parsePressure(nil)), "no line some"},
		{"sockstat cut", second(parseSockstat([]byte("sockets: used 1\nTCP: inuse 1 orphan 0 tw 0\n"), 4096)), "lacks one of"},
		{"sockstat without a value", second(parseSockstat([]byte("sockets: used\n"), 4096)), "sockets: used"},
		{"diskstats cut", second(parseDiskstats([]byte("8 0 sda 1 2 3\n"))), `device "sda": field 4`},
		{"conntrack without CPUs", second(ParseConntrackStat([]byte("entries drop\n"))), "no counters"},
		{"conntrack cut", second(ParseConntrackStat([]byte("entries drop\n1\n"))), "line 1, drop"},
		{"memory.stat without the field", newKeyed(2, "a", "b").parse([]byte("a 1\na 2\n")), "b is not there"},
		{"CPU list", second(parseCPUList("0-")), "no list of CPUs"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", test.err, test.want)
			}
		})
	}
}

func ref[T any](v T) *T { return &v }

func second[T any](_ T, err error) error { return err }

func tcpTable() *protocolTable { return &protocolTable{protocol: "Tcp:", wanted: tcpCounters} }

// FuzzProcFiles runs every parser of kernel files over anything.
func FuzzProcFiles(f *testing.F) {
	for _, name := range []string{"stat", "meminfo", "diskstats", "net/dev", "net/snmp", "net/netstat", "net/snmp6", "net/sockstat",
		"net/sockstat6", "net/softnet_stat", "net/stat/nf_conntrack", "pressure/cpu"} {
		f.Add(procFixture(f, name))
	}
	f.Add([]byte("usage_usec 5\nuser_usec 3\n"))
	f.Add([]byte("0-3,8"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := parseStat(data); err == nil && (len(s.cores) == 0 || s.total.Busy() < 0 || len(s.softirqs) != 0 && len(s.softirqs) != len(softIRQKinds)) {
			t.Errorf("stat = %+v", s)
		}
		if c, err := tcpTable().parse(data); err == nil && c == nil {
			t.Error("counters are nil without an error")
		}
		if m, err := parseMeminfo(data); err == nil && (m.Used() > m.Total || m.LessCaches() > m.Total) {
			t.Errorf("memory = %+v", m)
		}
		if all, err := parseSoftnet(data); err == nil && len(all) == 0 {
			t.Error("softnet is empty without an error")
		}
		if s, err := parseSockstat(data, 4096); err == nil && s == nil {
			t.Error("sockets are nil without an error")
		}
		if events, err := ParseConntrackStat(data); err == nil && len(events) == 0 {
			t.Error("conntrack has no events without an error")
		}
		if cpus, err := parseCPUList(string(data)); err == nil && len(cpus) == 0 {
			t.Error("no CPUs without an error")
		}
		_ = parseSockstat6(data, &Sockets{})
		_, _ = parseUDP6(data)
		_, _ = parseDiskstats(data)
		_, _ = parsePressure(data)
		_, _ = parseNetDev(data)
		_, _ = parseSingle(data)
		_ = newKeyed(1, "usage_usec", "user_usec").parse(data)
	})
}
