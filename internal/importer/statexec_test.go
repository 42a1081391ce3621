package importer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/importer/synthetic"
)

func TestStatexec(t *testing.T) {
	dir := t.TempDir()
	tree := synthetic.Tree{CPUs: 2}
	for _, f := range []struct {
		test, role, id string
		run            int
	}{
		{"dts", "client", "flannel", 1}, {"dts", "server", "flannel", 1}, {"dts", "server", "flannel", 2},
		{"idle", "standalone", "host", 1}, {"dts", "client", "host", 2}, {"dts", "server", "host", 2}, {"dts", "standalone", "host", 1},
	} {
		if err := tree.WriteSeries(filepath.Join(dir, fmt.Sprintf("%s-%d-%s-%s.prom", f.id, f.run, f.test, f.role)), f.test, f.role, f.id, f.run); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "host-2-dts-server.prom"), 60_000); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "host-1-dts-standalone.prom"), 100_000); err != nil {
		t.Fatal(err)
	}
	golden(t, "statexec", mustImport(t, "statexec", dir, Options{}))
}

// Labels come in any order, milliseconds are seconds in OpenMetrics, and a
// line or a sample that is not whole does not count.
func TestSeries(t *testing.T) {
	prom := `# TYPE statexec_cpu_seconds_total counter
statexec_command_status{instance="x",role="client"} 1 1704067200000
statexec_cpu_seconds_total{role="client",mode="user",cpu="cpu0"} 1.5 1704067200000
statexec_cpu_seconds_total{mode="softirq",cpu="cpu0"} 0.5 1704067200000
statexec_cpu_seconds_total{mode="nonsense",cpu="cpu0"} 9 1704067200000
statexec_cpu_seconds_total{mode="softirq",cpu="cpu0"} 1.5 1704067202000
statexec_cpu_seconds_total{mode="user",cpu="cpu0"} 3.5e0 1704067202000
statexec_memory_used_bytes{a="}"} 1024 1704067202000
statexec_command_status{instance="x",role="client"} 2 1704067202000
statexec_cpu_seconds_total{mode="user",cpu="cpu0"} 9.9 1704067203000
statexec_cpu_seconds_total{mode="softirq",cpu="cpu0"}  1704067203000
statexec_cpu_seconds_total{mode="softirq",cpu="cpu0"} 100.2 170406720300`
	om := strings.NewReplacer(" 1704067200000", " 1704067200.000", " 1704067202000", " 1704067202.000", " 1704067203000", " 1704067203").Replace(prom)
	for name, text := range map[string]string{"prom": prom, "OpenMetrics": om} {
		got, err := readSeries(strings.NewReader(text))
		if err != nil {
			t.Fatal(name, err)
		}
		from, to := got.phase()
		u, err := got.between(from, to)
		if err != nil {
			t.Fatal(name, err)
		}
		if len(got.samples) != 2 || !got.torn || u.cpu.busy() != 1.5 || u.cpu[4] != 0.5 || u.memory != 1024 || got.labels["role"] != "client" {
			t.Errorf("%s: %+v, %+v", name, got, u)
		}
	}
	for _, bad := range []string{
		"statexec_cpu_seconds_total{mode=\"user\"}\n", "statexec_cpu_seconds_total{mode=\"user\"} one 1\n",
		"statexec_cpu_seconds_total{mode=\"user\"} 1 never\n", "statexec_cpu_seconds_total{" + strings.Repeat("x", maxLine) + "\n",
	} {
		if _, err := readSeries(strings.NewReader(bad)); err == nil || !strings.HasPrefix(err.Error(), "line 1: ") {
			t.Errorf("%.60q: %v", bad, err)
		}
	}
}

func FuzzStatexec(f *testing.F) {
	f.Add("statexec_command_status{role=\"client\"} 1 1704067200000\nstatexec_cpu_seconds_total{mode=\"user\"} 1 1704067200000\nstatexec_cpu_seconds_total{mode=\"user\"} 2 1704067201000\nstatexec_command_status{} 2 1704067201000\n")
	f.Add("statexec_cpu_seconds_total{mode=\"idle\",id=\"..\",run=\"-1\"} 1e999 9e99\n")
	f.Add("statexec_x{}")
	fuzzFile(f, "statexec", "f.prom")
}
