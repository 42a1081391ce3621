package record

import (
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// statexec builds families with the names and labels of statexec 0.8.0, as its
// source and its published exports have them. The text is strict OpenMetrics,
// which statexec's is not: with # EOF, and times in seconds. What differs in
// meaning is in docs/record.md.
func (t *timeline) statexec(labels map[string]string) ([]openmetrics.Family, error) {
	for name := range t.export.Labels {
		if name == "disk" || name == "cpu" {
			return nil, fmt.Errorf("label %q is the format's own", name)
		}
	}
	b := &builder{timeline: t, labels: labels}
	b.gauge("statexec_command_status", "", "Status of the command (0: pending, 1: running, 2: done)", nil,
		func(_ int, s *sample.Sample) (float64, bool) {
			return map[Phase]float64{Before: 0, Running: 1, After: 2}[t.phase(s.Mono)], true
		})
	b.statexecCPU()
	b.statexecMemory()
	b.statexecTraffic()
	b.statexecDisks()
	// The doubled prefix is statexec's.
	b.gauge("statexec_statexec_time_since_start_ms", "", "Milliseconds since monitoring start", nil,
		func(_ int, s *sample.Sample) (float64, bool) {
			return float64((s.Mono - t.origin).Milliseconds()), true
		})
	b.gauge("statexec_metric_collect_duration_ms", "", "Duration of the metric collection in milliseconds", nil,
		func(i int, _ *sample.Sample) (float64, bool) { return t.took[i].Seconds() * 1000, true })
	if w, ok := t.window(Running); ok && t.command != nil {
		sum, err := sample.Summarize(t.series, w.Start, w.End)
		if err == nil {
			b.statexecSummary(sum)
		}
	}
	return b.families, nil
}

// cpuModes are the modes of /proc/stat, which statexec names like this. It has
// guest and guestNice besides, which are in user and nice already.
var cpuModes = []struct {
	name string
	of   func(sample.Modes) float64
}{
	{"user", func(m sample.Modes) float64 { return m.User }},
	{"nice", func(m sample.Modes) float64 { return m.Nice }},
	{"system", func(m sample.Modes) float64 { return m.System }},
	{"idle", func(m sample.Modes) float64 { return m.Idle }},
	{"iowait", func(m sample.Modes) float64 { return m.IOWait }},
	{"irq", func(m sample.Modes) float64 { return m.IRQ }},
	{"softirq", func(m sample.Modes) float64 { return m.SoftIRQ }},
	{"steal", func(m sample.Modes) float64 { return m.Steal }},
}

func (b *builder) statexecCPU() {
	for _, id := range b.cores() {
		for _, mode := range cpuModes {
			b.counter("statexec_cpu_seconds", "seconds", "CPU time spent in seconds",
				map[string]string{"cpu": fmt.Sprintf("cpu%d", id), "mode": mode.name},
				func(_ int, s *sample.Sample) (float64, bool) {
					for _, c := range s.Cores {
						if c.ID == id {
							return mode.of(c.Modes), true
						}
					}
					return 0, false
				})
		}
	}
}

// cores lists the CPUs in the order in which they appear.
func (b *builder) cores() []int {
	var ids []int
	seen := map[int]bool{}
	for _, s := range b.timeline.series.Samples {
		for _, c := range s.Cores {
			if !seen[c.ID] {
				seen[c.ID] = true
				ids = append(ids, c.ID)
			}
		}
	}
	return ids
}

func (b *builder) statexecMemory() {
	fields := []struct {
		name, help string
		of         func(sample.Memory) uint64
	}{
		{"total", "Total memory in bytes", func(m sample.Memory) uint64 { return m.Total }},
		{"available", "Available memory in bytes", func(m sample.Memory) uint64 { return m.Available }},
		{"used", "Used memory in bytes", sample.Memory.LessCaches},
		{"free", "Free memory in bytes", func(m sample.Memory) uint64 { return m.Free }},
		{"buffers", "Memory buffers in bytes", func(m sample.Memory) uint64 { return m.Buffers }},
		{"cached", "Memory cached in bytes", func(m sample.Memory) uint64 { return m.Cached }},
	}
	for _, f := range fields {
		b.gauge("statexec_memory_"+f.name+"_bytes", "bytes", f.help, nil,
			func(_ int, s *sample.Sample) (float64, bool) {
				if s.Memory == nil {
					return 0, false
				}
				return float64(f.of(*s.Memory)), true
			})
	}
	b.gauge("statexec_memory_used_percent", "", "Used memory in percent", nil,
		func(_ int, s *sample.Sample) (float64, bool) {
			if s.Memory == nil || s.Memory.Total == 0 {
				return 0, false
			}
			return 100 * float64(s.Memory.LessCaches()) / float64(s.Memory.Total), true
		})
}

func (b *builder) statexecTraffic() {
	directions := []struct {
		name, help string
		of         func(sample.Traffic) uint64
	}{
		{"sent", "Total sent bytes", func(t sample.Traffic) uint64 { return t.TxBytes }},
		{"received", "Total received bytes", func(t sample.Traffic) uint64 { return t.RxBytes }},
	}
	for _, d := range directions {
		for _, name := range interfaces(b.timeline.series) {
			b.counter("statexec_network_"+d.name+"_bytes", "bytes", d.help, map[string]string{"interface": name},
				func(_ int, s *sample.Sample) (float64, bool) {
					traffic, ok := s.Interfaces[name]
					return float64(d.of(traffic)), ok
				})
		}
	}
}

func (b *builder) statexecDisks() {
	directions := []struct {
		name, help string
		of         func(sample.Disk) uint64
	}{
		{"read", "Total read bytes", func(d sample.Disk) uint64 { return d.ReadBytes }},
		{"write", "Total written bytes", func(d sample.Disk) uint64 { return d.WrittenBytes }},
	}
	for _, d := range directions {
		for _, name := range keys(b.timeline.series, func(s *sample.Sample) map[string]sample.Disk { return s.Disks }) {
			b.counter("statexec_disk_"+d.name+"_bytes", "bytes", d.help, map[string]string{"disk": name},
				func(_ int, s *sample.Sample) (float64, bool) {
					disk, ok := s.Disks[name]
					return float64(d.of(disk)), ok
				})
		}
	}
}

// statexecSummary is of the command's run, at its end.
func (b *builder) statexecSummary(sum sample.Summary) {
	for _, mode := range cpuModes {
		b.once("statexec_summary_cpu_mean_seconds", "", "Mean CPU time per second while the command ran.",
			map[string]string{"mode": mode.name}, mode.of(sum.Modes))
	}
	b.once("statexec_summary_cpu_cores", "", "Number of CPUs.", nil, float64(sum.Cores))
	var running []sample.Memory
	for _, s := range b.timeline.samplesOf(Running) {
		if s.Memory != nil {
			running = append(running, *s.Memory)
		}
	}
	mean := func(of func(sample.Memory) uint64) float64 {
		total := 0.0
		for _, m := range running {
			total += float64(of(m))
		}
		return total / float64(len(running))
	}
	if len(running) > 0 {
		const help = "Mean of the samples while the command ran."
		b.once("statexec_summary_memory_used_bytes", "bytes", help, nil, mean(sample.Memory.LessCaches))
		b.once("statexec_summary_memory_free_bytes", "bytes", help, nil, mean(func(m sample.Memory) uint64 { return m.Free }))
		b.once("statexec_summary_memory_buffers_bytes", "bytes", help, nil, mean(func(m sample.Memory) uint64 { return m.Buffers }))
		b.once("statexec_summary_memory_cached_bytes", "bytes", help, nil, mean(func(m sample.Memory) uint64 { return m.Cached }))
		b.once("statexec_summary_memory_total_bytes", "bytes", "Total memory.", nil, float64(running[len(running)-1].Total))
	}
	var sent, received float64
	for _, t := range sum.Interfaces {
		sent, received = sent+t.TxBytes, received+t.RxBytes
	}
	var read, written float64
	for _, d := range sum.Disks {
		read, written = read+d.ReadBytes, written+d.WrittenBytes
	}
	if len(sum.Disks) > 0 {
		const help = "Mean of all disks while the command ran."
		b.once("statexec_summary_disk_mean_read_bytes_per_second", "", help, nil, read)
		b.once("statexec_summary_disk_mean_write_bytes_per_second", "", help, nil, written)
	}
	if len(sum.Interfaces) > 0 {
		const help = "Mean of all interfaces while the command ran."
		b.once("statexec_summary_network_mean_sent_bytes_per_second", "", help, nil, sent)
		b.once("statexec_summary_network_mean_received_bytes_per_second", "", help, nil, received)
	}
}
