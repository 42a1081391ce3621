package campaign_test

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/campaign"
)

// What the starter file has in comments works when it is uncommented.
func TestStarterCommentsAreRight(t *testing.T) {
	for _, tt := range []struct {
		name   string
		start  string // first line to uncomment, and the lines below it
		lines  int
		remove string // lines of the file, by a part of them
	}{
		{"existing", "    # existing:", 5, "flannel"},
		{"command", "    # command:", 1, ""},
		{"tools", "  # tools:", 1, ""},
		{"prometheus", "  # prometheus:", 5, ""},
		{"version", "    # - cilium-kpr@", 1, ""},
		{"values", "    # - {variant: flannel-vxlan, values:", 1, ""},
		{"twin", "    # - {variant: flannel-vxlan, as:", 1, ""},
		{"overlay", "    # - {variant: flannel-vxlan, as: mesh", 1, ""},
		{"primary", "    # primary:", 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := uncomment(t, string(campaign.Starter()), tt.start, tt.lines)
			if tt.name == "existing" || tt.name == "command" {
				text = without(text, "    lab:", "      nodes:", "      mtu:", "      kubeProxy:", "      maxPods:", tt.remove)
			}
			text = strings.Replace(text, "freshCluster: true", "", 1)
			k := known()
			k.ReadFile = func(string) ([]byte, error) { return []byte("spec: {}\n"), nil }
			if _, err := campaign.Parse("starter.yaml", []byte(text), k); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			if err := resolveSchema(t)([]byte(text)); err != nil {
				t.Errorf("the schema refuses it: %v", err)
			}
		})
	}
}

func uncomment(t *testing.T, text, start string, n int) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, start) {
			for j := range n {
				lines[i+j] = strings.Replace(lines[i+j], "# ", "", 1)
			}
			return strings.Join(lines, "\n")
		}
	}
	t.Fatalf("the starter file has no line %q", start)
	return ""
}

// without leaves out the lines that begin with one of the words, or, given one
// without blanks before it, that have it.
func without(text string, words ...string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		drop := false
		for _, w := range words {
			drop = drop || w != "" && (strings.HasPrefix(line, w) || w[0] != ' ' && strings.Contains(line, w))
		}
		if !drop {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
