package scenario

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// full makes a file of evidence one that has no room, as on a full disk.
func full(t *testing.T, dir, name string) {
	t.Helper()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	if err := os.Symlink("/dev/full", filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// A full disk takes the evidence, not the figures; nothing is left that only
// looks like evidence.
func TestMeasureOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	full(t, dir, "summary.json")
	s := Scenario{Name: "x", Metrics: []result.Metric{throughput}, Run: func(_ context.Context, b *stage.Bench, _ plan.Cell) (stage.Measurement, error) {
		b.Keep("other.txt", []byte("all of it"))
		return stage.Measurement{Values: []result.Value{{Metric: throughput, Value: 1e9}}}, b.KeepJSON("summary.json", 1)
	}}
	m, err := s.Measure(t.Context(), &stage.Bench{Raw: dir}, plan.Cell{Parameters: parameter.Values{}})
	if err != nil {
		t.Fatal(err)
	}
	want := []result.Mark{{Name: "evidence-incomplete", Detail: "summary.json: no space left on device"}}
	if diff := cmp.Diff(want, m.Marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if byName(m.Values)["throughput"] != 1e9 {
		t.Errorf("values %v", m.Values)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "other.txt" {
		t.Errorf("left are %v, %v", files, err)
	}
}

// Side figures may be missing; the scenario's own may not.
func TestMeasureNeedsItsFirstMetric(t *testing.T) {
	lost := map[string]string{stage.CPU.Name: "the probe on node1: it was killed"}
	run := func(metrics ...result.Metric) (stage.Measurement, error) {
		s := Scenario{Name: "x", Metrics: metrics, Run: func(context.Context, *stage.Bench, plan.Cell) (stage.Measurement, error) {
			return stage.Measurement{Missing: maps.Clone(lost)}, nil
		}}
		return s.Measure(t.Context(), &stage.Bench{Raw: t.TempDir()}, plan.Cell{Parameters: parameter.Values{}})
	}
	if m, err := run(throughput, stage.CPU); err != nil || !maps.Equal(m.Missing, lost) {
		t.Errorf("a load lost its figures: %v, %v", m, err)
	}
	_, err := run(stage.CPU, stage.Memory)
	says(t, err, stage.CPU.Name, "it was killed")
}
