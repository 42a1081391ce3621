package result

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
)

func TestPlanThatWasChangedIsRefused(t *testing.T) {
	w := create(t)
	file := filepath.Join(w.Path(), PlanFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), `"seed": 1`, `"seed": 2`, 1)
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Plan(); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "hash") {
		t.Errorf("got %v, want an error about the hash that names the file", err)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	_, err := Open(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "is not a results directory: it has no plan.json") {
		t.Errorf("got %v", err)
	}
}

// A small file can be made to hold a million times its size.
func TestMetricsAreBounded(t *testing.T) {
	var b bytes.Buffer
	at := epoch.Truncate(time.Second)
	if err := openmetrics.Write(&b, []openmetrics.Family{{
		Name: "made_up", Type: "gauge", Help: "made up", Series: []openmetrics.Series{{Points: []openmetrics.Point{{At: at, Value: 1}}}},
	}}); err != nil {
		t.Fatal(err)
	}
	size := int64(b.Len())
	if families, err := readBounded(bytes.NewReader(b.Bytes()), size+1); err != nil || len(families) != 1 {
		t.Errorf("of a file that is small enough: %d families, %v", len(families), err)
	}
	if _, err := readBounded(bytes.NewReader(b.Bytes()), size-10); err == nil || !strings.Contains(err.Error(), "bytes or more") {
		t.Errorf("of one that is too large: %v", err)
	}
}
