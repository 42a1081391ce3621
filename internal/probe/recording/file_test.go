package recording

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

func planOf(argv ...string) Plan {
	return Plan{Version: Version, Path: argv[0], Argv: argv, Every: time.Second, ID: "x"}
}

func written(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	w := newWriter(&out)
	plan := planOf("/bin/true")
	w.write(Entry{Plan: &plan})
	w.write(Entry{Series: &sample.Series{Hostname: "a1", Interval: time.Second}})
	for i := range 3 {
		w.write(Entry{Sample: &sample.Sample{Mono: time.Duration(i) * time.Second}, Took: time.Millisecond})
	}
	w.write(Entry{Event: &Event{Kind: End, Command: &Command{Status: 3}}})
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRead(t *testing.T) {
	rec, err := Read(strings.NewReader(written(t)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(planOf("/bin/true"), rec.Plan); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if rec.Cut || rec.Series.Hostname != "a1" || len(rec.Series.Samples) != 3 || len(rec.Took) != 3 || rec.Series.Samples[2].Mono != 2*time.Second {
		t.Errorf("read %+v", rec)
	}
	if e := rec.Find(End); e == nil || e.Command.Status != 3 || rec.Find(Failure) != nil {
		t.Errorf("events %+v", rec.Events)
	}
}

// Wherever a recorder was killed, what it wrote before is read.
func TestReadWhatIsCut(t *testing.T) {
	text := written(t)
	first := strings.Index(text, "\n") + 1
	for end := first; end <= len(text); end++ {
		rec, err := Read(strings.NewReader(text[:end]))
		if err != nil {
			t.Fatalf("cut after %d of %d bytes: %v", end, len(text), err)
		}
		if whole := text[end-1] == '\n'; rec.Cut == whole {
			t.Fatalf("cut after %d bytes: cut is %t", end, rec.Cut)
		}
	}
}

func TestReadErrors(t *testing.T) {
	text := written(t)
	lines := strings.SplitAfter(text, "\n")
	for name, c := range map[string]struct{ text, want string }{
		"empty":        {"", "no first line"},
		"other":        {"hello\n", "line 1"},
		"no plan":      {lines[1], "begins with its plan"},
		"two plans":    {lines[0] + lines[0], "line 2: a recording begins"},
		"damaged":      {lines[0] + lines[1] + "{\n" + lines[2], "line 3"},
		"unknown":      {lines[0] + `{"sampel":{}}` + "\n", "unknown field"},
		"empty entry":  {lines[0] + "{}\n", "entry is empty"},
		"next version": {strings.Replace(lines[0], `"version":1`, `"version":2`, 1), "version 2"},
		"no interval":  {strings.Replace(lines[0], `"everyNs":1000000000`, `"everyNs":1`, 1), "sampling every 1ns"},
	} {
		if _, err := Read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f))
	f.Add(`{"plan":{}}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := Read(strings.NewReader(text))
		if err == nil && (rec.Plan.Validate() != nil || len(rec.Took) != len(rec.Series.Samples)) {
			t.Errorf("read %+v", rec)
		}
	})
}
