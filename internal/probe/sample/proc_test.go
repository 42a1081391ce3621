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
	protocols, err := parseSNMP(procFixture(t, "net/snmp"))
	if err != nil {
		t.Fatal(err)
	}
	if len(protocols.TCP) != len(tcpCounters) || len(protocols.UDP) != len(udpCounters) || protocols.TCP["InSegs"] == 0 {
		t.Errorf("protocols = %+v", protocols)
	}
	softnet, err := parseSoftnet(procFixture(t, "net/softnet_stat"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (softnetSum{processed: 3, dropped: 2, squeezed: 11}); softnet != want { // 0x13 + 0xfffffff0 wraps
		t.Errorf("softnet = %+v, want %+v", softnet, want)
	}
}

// The kernel's counters have 32 bits; ours go on counting when they wrap.
func TestSoftnetWraps(t *testing.T) {
	var s Softnet
	s.advance(softnetSum{}, softnetSum{processed: 0xfffffff0})
	s.advance(softnetSum{processed: 0xfffffff0}, softnetSum{processed: 0x10})
	if want := uint64(1<<32 + 0x10); s.Processed != want {
		t.Errorf("processed = %d, want %d", s.Processed, want)
	}
}

func TestParseMachineFiles(t *testing.T) {
	memory, err := parseMeminfo(procFixture(t, "meminfo"))
	if err != nil {
		t.Fatal(err)
	}
	wantMemory := Memory{24684096 << 10, 22553332 << 10, 24183236 << 10, 53252 << 10, 1501124 << 10, 431290 << 10, 8788 << 10}
	if diff := cmp.Diff(wantMemory, memory); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	pressure, err := parsePressure(procFixture(t, "pressure/cpu"))
	if err != nil {
		t.Fatal(err)
	}
	full := 1.5
	if diff := cmp.Diff(&Pressure{Some: 232.578165, Full: &full}, pressure); diff != "" {
		t.Errorf("pressure (-want +got):\n%s", diff)
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
		{"meminfo without Slab", second(parseMeminfo([]byte("MemTotal: 1 kB\nMemTotal: 1 kB\nMemFree: 1 kB\nMemAvailable: 1 kB\nBuffers: 1 kB\nCached: 1 kB\nShmem: 1 kB\n"))), "lacks one of"},
		{"net/dev cut", second(parseNetDev([]byte("Inter-|\n face |bytes\neth0: 1 2 3\n"))), `interface "eth0": field 4`},
		{"snmp cut", second(parseSNMP([]byte("Tcp: InSegs\n"))), "no values"},
		{"snmp without Udp", second(parseSNMP([]byte("Tcp: InSegs\nTcp: 1\n"))), "no Udp"},
		{"softnet empty", second(parseSoftnet(nil)), "empty"},
		{"pressure empty", second(parsePressure(nil)), "no line some"},
		{"memory.stat without the field", parseKeyed([]byte("a 1\na 2\n"), []string{"a", "b"}, make([]uint64, 2)), "not all of"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", test.err, test.want)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// FuzzProcFiles runs every parser of kernel files over anything.
func FuzzProcFiles(f *testing.F) {
	for _, name := range []string{"stat", "meminfo", "net/dev", "net/snmp", "net/softnet_stat", "pressure/cpu"} {
		f.Add(procFixture(f, name))
	}
	f.Add([]byte("usage_usec 5\nuser_usec 3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := parseStat(data); err == nil && (len(s.cores) == 0 || s.total.Busy() < 0) {
			t.Errorf("stat = %+v", s)
		}
		if p, err := parseSNMP(data); err == nil && (p.TCP == nil || p.UDP == nil) {
			t.Errorf("snmp = %+v", p)
		}
		if p, err := parsePressure(data); err == nil && p == nil {
			t.Error("pressure is nil without an error")
		}
		_, _ = parseMeminfo(data)
		_, _ = parseNetDev(data)
		_, _ = parseSoftnet(data)
		_, _ = parseSingle(data)
		_ = parseKeyed(data, []string{"usage_usec", "user_usec"}, make([]uint64, 2))
	})
}
