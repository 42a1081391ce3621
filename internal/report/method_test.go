package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

func TestReproduce(t *testing.T) {
	const file = "kind: Campaign\n"
	tests := []struct {
		name     string
		change   func(*Source)
		command  string
		missing  string
		complete bool // all but the machine is there
	}{
		{"lab", func(*Source) {}, "cnibench run -f campaign.yaml", "The machine: ", true},
		{"a program without a version", func(s *Source) { s.Environment.Cnibench = "devel" }, "cnibench run -f campaign.yaml", "does not know its version", false},
		{"no campaign file", func(s *Source) { s.Campaign = nil }, "cnibench run -f campaign.yaml", "has no campaign.yaml", false},
		{"a cluster that exists", func(s *Source) { s.Analysis.Plan.Cluster = plan.Cluster{Existing: &plan.Existing{}} }, "cnibench run -f campaign.yaml", "The network plugin: it was there before", false},
		{"a cluster of commands", func(s *Source) {
			s.Analysis.Plan.Cluster = plan.Cluster{Command: &plan.Command{Up: "make up"}}
		}, "cnibench run -f campaign.yaml", `whatever "make up" made`, true},
		{"a definition of the user's", func(s *Source) { s.Analysis.Plan.Variants[1].Definition = "sha256:12" }, "cnibench run -f campaign.yaml", "user's own catalog and has the digest sha256:12", false},
		{"imported", func(s *Source) {
			s.Analysis.Plan.Imported = &plan.Imported{Format: "csv", Source: "my 'numbers'.csv"}
			s.Environment.Import = &result.Import{Digest: "sha256:34"}
		}, `cnibench import csv 'my '\''numbers'\''.csv' --out DIR`, "The measurement: another program made it", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := campaignOf(t, 3, 2, func(*result.Trial) {})
			s.Campaign = []byte(file)
			test.change(&s)
			r := reproduce(s)
			if r.Command != test.command {
				t.Errorf("the command is %s", r.Command)
			}
			if !slices.ContainsFunc(r.Missing, func(m string) bool { return strings.Contains(m, test.missing) }) {
				t.Errorf("%q does not say %q", r.Missing, test.missing)
			}
			if test.complete != (len(r.Missing) == 1) {
				t.Errorf("missing: %q", r.Missing)
			}
			page := render(t, s)
			page.check(t)
		})
	}
}

func TestClientCommand(t *testing.T) {
	for file, want := range map[string]string{
		`{"client":{"processes":[{"argv":["iperf3","-c","10.0.0.1"]}]}}`:               "iperf3 -c 10.0.0.1",
		`{"client":{"processes":[{"argv":["sh","-c","echo 'a b'"]},{"argv":["sh"]}]}}`: `sh -c 'echo '\''a b'\'''  # and 1 more`,
		`{"client":{"processes":[{"argv":["</script>"]}]}}`:                            "'</script>'",
		`{"client":{"processes":[]}}`:                                                  "", `{`: "", ``: "", `{"client":{"processes":"none"}}`: "",
	} {
		if got := clientCommand([]byte(file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// Names that an address would change are called by their number, and two
// cells never share a place.
func TestAnchors(t *testing.T) {
	s := campaignOf(t, 3, 2, func(*result.Trial) {})
	s.Analysis.Cells[0].ID = "tcp-pod-multi.streams-8" // what the other becomes
	names := newAnchors(s.Analysis.Cells)
	if a, b := names.of("blocks", "tcp-pod-multi.streams-8"), names.of("blocks", "tcp-pod-multi.streams=8"); a != "blocks-tcp-pod-multi.streams-8" || b != "blocks-~2" {
		t.Errorf("%s and %s", a, b)
	}
	if got := names.of("blocks", "unheard-of"); got != "blocks" {
		t.Errorf("a cell that is not there is at %s", got)
	}
}
