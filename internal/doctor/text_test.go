package doctor

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cnibench/cnibench/internal/prose"
)

var update = flag.Bool("update", false, "rewrite the golden files and the table of docs/doctor.md")

// sickLab is a report with a finding of every severity.
func sickLab() Report {
	s := healthy(Lab)
	s.Place = "lab a"
	s.Policies, s.PodPath.Reached, s.PodPath.Why = []Policy{denyAll}, false, "no answer\x1b[2J from | 10.0.0.2"
	for i := range s.Nodes {
		s.Nodes[i].CPUs = 2
		s.Nodes[i].Facts.Miss("cpu.governor", "no driver")
	}
	s.DNS = &DNS{Absent: "the cluster has no Service kube-system/kube-dns"}
	return Judge(s)
}

func TestForms(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer, Report) error{
		"report.txt":  func(b *bytes.Buffer, r Report) error { return Text(b, r) },
		"report.md":   func(b *bytes.Buffer, r Report) error { return Markdown(b, r) },
		"report.json": func(b *bytes.Buffer, r Report) error { return JSON(b, r) },
	} {
		var b bytes.Buffer
		if err := write(&b, sickLab()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s is not what the golden file has; it is\n%s", name, b.String())
		}
		if name != "report.json" && strings.ContainsRune(b.String(), 0x1b) {
			t.Errorf("%s passes on what moves a terminal's cursor", name)
		}
	}
}

func TestSummary(t *testing.T) {
	for want, counts := range map[string]map[Severity]int{
		"this machine is not fit to be measured: 1 unfit, 2 warnings, 5 ok": {Unfit: 1, Warning: 2, OK: 5},
		"nothing makes this machine unfit, but 4 warnings say what results will suffer from (3 unknown, 5 ok)": {
			Warning: 4, Unknown: 3, OK: 5},
		"nothing makes this machine unfit, but 1 warning says what results will suffer from (5 ok)": {Warning: 1, OK: 5},
		"nothing makes this machine unfit, as far as is known: 3 unknown, 2 for information, 5 ok":  {Unknown: 3, Info: 2, OK: 5},
		"this machine is fit to be measured: 12 ok":                                                 {OK: 12},
	} {
		r := Report{Place: "this machine", Fit: counts[Unfit] == 0, Counts: counts}
		if got := r.Summary(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLinesFit(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, sickLab()); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if utf8.RuneCountInString(line) > prose.Width {
			t.Errorf("wider than %d columns: %s", prose.Width, line)
		}
	}
}

func TestJSONCanBeRead(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, sickLab()); err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(b.Bytes(), &r); err != nil || r.Schema != SchemaVersion || r.Fit || len(r.Findings) == 0 {
		t.Errorf("%v: schema %q, fit %t, %d findings", err, r.Schema, r.Fit, len(r.Findings))
	}
}
