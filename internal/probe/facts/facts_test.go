package facts

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares facts with a file.
func golden(t *testing.T, name string, f Facts) {
	t.Helper()
	got, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".golden.json")
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
	consistent(t, f)
}

// consistent holds facts to what every reader relies on.
func consistent(t interface{ Errorf(string, ...any) }, f Facts) {
	for name, value := range f.Values {
		if value == "" || strings.TrimSpace(value) != value || strings.ContainsAny(value, "\n\t") {
			t.Errorf("%s is %q", name, value)
		}
		if _, too := f.Missing[name]; too {
			t.Errorf("%s has a value and is missing", name)
		}
	}
	for name, why := range f.Missing {
		if why == "" {
			t.Errorf("%s is missing without a reason", name)
		}
	}
}

// files makes a file system of texts and, where they begin with ->, of
// symbolic links.
func files(texts map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range texts {
		if target, is := strings.CutPrefix(text, "->"); is {
			root[name] = &fstest.MapFile{Data: []byte(target), Mode: os.ModeSymlink | 0o777}
			continue
		}
		root[name] = &fstest.MapFile{Data: []byte(text + "\n"), Mode: 0o644}
	}
	return root
}

// server is an invented machine with two sockets, whose governors somebody set
// on one of them only.
func server() map[string]string {
	m := map[string]string{
		"proc/cmdline":                  "BOOT_IMAGE=/vmlinuz root=/dev/sda1 password=secret mitigations=off isolcpus=2-3 hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=512 nosmt -- psi=1",
		"proc/sys/kernel/osrelease":     "6.8.0-45-generic",
		"proc/sys/kernel/version":       "#45-Ubuntu SMP PREEMPT_DYNAMIC Fri Aug 30 12:02:04 UTC 2024",
		"proc/meminfo":                  "MemTotal:       65807964 kB\nMemFree:        12 kB",
		"proc/cpuinfo":                  "processor\t: 0\nmodel name\t: Example CPU @ 2.50GHz\nmicrocode\t: 0xd0003a5\nflags\t\t: fpu vme sse\n\nprocessor\t: 1\nmodel name\t: Example CPU",
		"sys/class/dmi/id/sys_vendor":   "Example Corp.",
		"sys/class/dmi/id/bios_version": "1.2.3",
		"sys/devices/system/clocksource/clocksource0/current_clocksource":   "hpet",
		"sys/devices/system/clocksource/clocksource0/available_clocksource": "hpet acpi_pm ",
		"sys/kernel/mm/transparent_hugepage/enabled":                        "always [madvise] never",
		"sys/devices/system/node/node0/cpulist":                             "0-1",
		"sys/devices/system/node/node1/cpulist":                             "2-3",
		"sys/devices/system/node/node2/cpulist":                             "", // memory alone
		"sys/devices/system/cpu/online":                                     "0-3",
		"sys/devices/system/cpu/isolated":                                   "",
		"sys/devices/system/cpu/nohz_full":                                  "(null)",
		"sys/devices/system/cpu/smt/control":                                "on",
		"sys/devices/system/cpu/intel_pstate/no_turbo":                      "1",
		"sys/devices/system/cpu/cpuidle/current_driver":                     "intel_idle",
		"sys/devices/system/cpu/vulnerabilities/meltdown":                   "Vulnerable",
		"proc/sys/vm/swappiness":                                            "10",
		"proc/sys/net/core/netdev_budget":                                   "600",
		"proc/sys/net/ipv4/tcp_available_congestion_control":                "reno cubic bbr",
		"proc/sys/net/ipv4/tcp_rmem":                                        "4096\t131072\t6291456",
	}
	for cpu, governor := range []string{"performance", "performance", "powersave", "performance"} {
		dir := "sys/devices/system/cpu/cpu" + string(rune('0'+cpu))
		m[dir+"/cpufreq/scaling_governor"] = governor
		m[dir+"/cpufreq/scaling_driver"] = "intel_pstate"
		m[dir+"/cpufreq/scaling_max_freq"] = "3500000"
		m[dir+"/cpuidle/state0/name"] = "POLL"
		m[dir+"/cpuidle/state1/name"] = "C6"
		m[dir+"/cpuidle/state1/disable"] = map[bool]string{true: "1", false: "0"}[cpu < 2]
	}
	return m
}

func TestInventedServer(t *testing.T) {
	f := New()
	root := files(server())
	machine(f, root)
	cpus(f, root)
	sysctls(f, root, []string{"net.ipv4.tcp_available_congestion_control", "net.ipv4.tcp_rmem", "net.core.wmem_max"})
	golden(t, "server", f)
	for _, value := range f.Values {
		if strings.Contains(value, "secret") {
			t.Errorf("the command line's secret is in %q", value)
		}
	}
}

// A machine that shows nothing has no facts, and says why.
func TestNothingToRead(t *testing.T) {
	f := New()
	root := files(nil)
	machine(f, root)
	cpus(f, root)
	sysctls(f, root, namespaceSysctls)
	queues(f, root, "uplink", "eth0")
	interrupts(f, root, "uplink", "sys/devices/x")
	if len(f.Values) > 0 {
		t.Errorf("facts from nothing: %v", f.Values)
	}
	for _, name := range []string{"kernel.release", "cpu.governor", "cpu.online", "clocksource", "memory.total", "uplink.rps", "uplink.irq.cpus", "sysctl.net.core.rmem_max"} {
		if f.Missing[name] == "" {
			t.Errorf("%s is missing without a reason", name)
		}
	}
	consistent(t, f)
}

func TestConfiguration(t *testing.T) {
	with := func(more ...string) Facts {
		values := map[string]string{"HZ": "1000", "PREEMPT": "y", "VXLAN": "m", "LOCALVERSION": "-fast"}
		for _, name := range more {
			values[name] = "y"
		}
		return Configuration(values)
	}
	f := with()
	for name, want := range map[string]string{
		"kernel.config.HZ": "1000", "kernel.config.VXLAN": "m", "kernel.config.KASAN": "n", "kernel.irq-time": "tick",
		// printf 'HZ=1000\nLOCALVERSION=-fast\nPREEMPT=y\nVXLAN=m\n' | sha256sum
		"kernel.config.sha256": "5dd94b16f18f992692ff61f853ab14477ac94549b58971dadc98c0bde0d8a547",
	} {
		if f.Values[name] != want {
			t.Errorf("%s is %q, want %q", name, f.Values[name], want)
		}
	}
	for _, option := range []string{"IRQ_TIME_ACCOUNTING", "VIRT_CPU_ACCOUNTING_NATIVE"} {
		if got := with(option).Values["kernel.irq-time"]; got != "exact" {
			t.Errorf("with %s interrupts are accounted %s", option, got)
		}
	}
	if with("ANY").Values["kernel.config.sha256"] == f.Values["kernel.config.sha256"] {
		t.Error("an option more and the same digest")
	}
	consistent(t, f)
}

func TestGrouped(t *testing.T) {
	for _, tt := range []struct {
		values map[int]string
		want   string
	}{
		{map[int]string{0: "a"}, "a"},
		{map[int]string{0: "a", 1: "a", 7: "a"}, "a"},
		{map[int]string{0: "b", 1: "a", 2: "b", 3: "b", 4: "b", 9: "b"}, "b (0,2-4,9); a (1)"},
	} {
		if got := grouped(tt.values); got != tt.want {
			t.Errorf("grouped(%v) = %q, want %q", tt.values, got, tt.want)
		}
	}
}

func TestParseMask(t *testing.T) {
	for text, want := range map[string]string{
		"0": "", "3\n": "0-1", "ff01": "0,8-15", "00000001,00000000": "32", "80000000,ffffffff": "0-31,63", "0000": "",
	} {
		if got, err := parseMask(text); err != nil || got != want {
			t.Errorf("parseMask(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", ",", "0x3", "g", "-1", strings.Repeat("f", mostMaskBits)} {
		if got, err := parseMask(text); err == nil {
			t.Errorf("parseMask(%q) = %q", text, got)
		}
	}
}

// A mask and its list say the same CPUs.
func TestMaskProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.MapOf(rapid.IntRange(0, 300), rapid.Just("x")).Draw(t, "cpus")
		nibbles := make([]byte, 76)
		for n := range set {
			nibbles[75-n/4] |= 1 << (n % 4)
		}
		var text strings.Builder
		for i, n := range nibbles {
			if i%8 == 4 {
				text.WriteByte(',')
			}
			text.WriteByte("0123456789abcdef"[n])
		}
		got, err := parseMask(text.String())
		if err != nil {
			t.Fatal(err)
		}
		back := map[int]string{}
		for part := range strings.SplitSeq(got, ",") {
			if part == "" {
				continue
			}
			from, to := number(t, part, 0), number(t, part, 1)
			for n := from; n <= to; n++ {
				back[n] = "x"
			}
		}
		if !maps.Equal(set, back) {
			t.Errorf("%s became %s", text.String(), got)
		}
	})
}

// number reads one end of a range "3-5", or "3".
func number(t *rapid.T, part string, end int) int {
	ends := strings.Split(part, "-")
	var n int
	if err := json.Unmarshal([]byte(ends[min(end, len(ends)-1)]), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func FuzzTexts(f *testing.F) {
	f.Add("a=b mitigations=off -- x", "ff,ffffffff", "MemTotal: 12 kB")
	f.Add("hugepages=", "[x", "MemTotal: -1 kB")
	f.Fuzz(func(t *testing.T, line, mask, info string) {
		facts := New()
		root := files(map[string]string{
			"proc/cmdline": line, "proc/meminfo": info, "proc/cpuinfo": info, "sys/kernel/mm/transparent_hugepage/enabled": mask,
			"sys/class/net/eth0/queues/rx-0/rps_cpus": mask, "sys/devices/system/cpu/vulnerabilities/x": line,
		})
		machine(facts, root)
		cpus(facts, root)
		queues(facts, root, "uplink", "eth0")
		consistent(t, facts)
	})
}

// recorded is a card that answers as one did, from a file with a line per
// question: its first bytes, its length, and the answer or "error" and why. The
// files are of machines with the low byte first.
func recorded(t *testing.T, file string) card {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		answers[words[0]] = words[2]
	}
	return func(_ string, b []byte) error {
		answer, known := answers[hex.EncodeToString(b[:min(len(b), 16)])]
		if !known {
			t.Errorf("nobody recorded what the card says to % x", b[:min(len(b), 16)])
			return errSilent
		}
		if strings.HasPrefix(answer, "error") {
			return errSilent
		}
		bytes, err := hex.DecodeString(answer)
		if err != nil || len(bytes) != len(b) {
			t.Errorf("the answer to % x has %d bytes, %v", b[:min(len(b), 16)], len(bytes), err)
		}
		copy(b, bytes)
		return nil
	}
}

func TestRecordedCards(t *testing.T) {
	for file, hardware := range map[string]bool{"virtio_net": true, "veth": false} {
		t.Run(file, func(t *testing.T) {
			f := New()
			recorded(t, file+".ethtool").describe(f, "uplink", "eth0", hardware)
			golden(t, file, f)
		})
	}
}
