package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/calibration"
)

// The words are of the calibrations that package calibration makes of made-up
// journals; reading them back changes nothing.
func TestCalibration(t *testing.T) {
	files, err := filepath.Glob("../calibration/testdata/*.json")
	if err != nil || len(files) < 3 {
		t.Fatal("no calibrations", err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c calibration.Calibration
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatal(err)
			}
			var again, text bytes.Buffer
			if err := CalibrationJSON(&again, c); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(data), again.String()); diff != "" {
				t.Errorf("JSON (-first +again):\n%s", diff)
			}
			if err := Calibration(&text, c); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "calibration-"+name[:len(name)-len(".json")]+".txt")
			if *update {
				if err := os.WriteFile(golden, text.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		})
	}
}
