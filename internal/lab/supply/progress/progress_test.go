package progress

import (
	"testing"
	"time"
)

func TestString(t *testing.T) {
	tests := []struct {
		p    Progress
		want string
	}{
		{
			Progress{Step: "kubernetes v1.34.4", Verb: "compiled", Done: 812, Total: 1463, Unit: "packages", Remaining: 125 * time.Second},
			"kubernetes v1.34.4: compiled 812 of 1463 packages, about 2 min left",
		},
		{
			Progress{Step: "flannel", Verb: "compiled", Done: 740, Total: 745, Unit: "packages", Remaining: time.Second},
			"flannel: compiled 740 of 745 packages, about 5 s left",
		},
		{
			Progress{Step: "flannel", Verb: "downloaded", Done: 34, Unit: "modules", Elapsed: time.Minute},
			"flannel: downloaded 34 modules",
		},
		{Progress{Step: "flannel", Verb: "linking", Elapsed: 21 * time.Second}, "flannel: linking (21s)"},
		{Progress{Step: "images", Verb: "composing", Detail: "pause"}, "images: composing pause"},
		{Progress{Step: "images", Verb: "ready", Finished: true, Elapsed: 65 * time.Second}, "images: ready (1m5s)"},
	}
	for _, test := range tests {
		if got := test.p.String(); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

func TestRemaining(t *testing.T) {
	tests := []struct {
		name        string
		done, total int
		elapsed     time.Duration
		want        time.Duration
	}{
		{"too few to tell", 9, 100, time.Minute, 0},
		{"too early to tell", 50, 100, 2 * time.Second, 0},
		{"a quarter done", 25, 100, time.Minute, 3 * time.Minute},
		{"all done", 100, 100, time.Minute, 0},
		{"total unknown", 50, 0, time.Minute, 0},
	}
	for _, test := range tests {
		if got := remaining(test.done, test.total, test.elapsed); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestStepReportsChangesAndEnd(t *testing.T) {
	var verbs []string
	s := Start("flannel", func(p Progress) { verbs = append(verbs, p.Verb) })
	s.Say("listing packages", "")
	s.Count("compiled", 1, 3, "packages", "a")
	s.Say("linking", "")
	s.End(false)
	want := []string{"listing packages", "compiled", "linking", "ready"}
	if len(verbs) != len(want) {
		t.Fatalf("reported %q, want %q", verbs, want)
	}
	for i := range want {
		if verbs[i] != want[i] {
			t.Errorf("reported %q, want %q", verbs, want)
		}
	}
}
