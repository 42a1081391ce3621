package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// commands lists all that a user can run, which groups such as "lab" are not
// unless they take an argument themselves.
func commands(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, sub := range c.Commands() {
		if !sub.HasSubCommands() || strings.Contains(sub.Use, " ") {
			all = append(all, sub)
		}
		all = append(all, commands(sub)...)
	}
	return all
}

func TestEveryCommandExplainsItself(t *testing.T) {
	statuses := regexp.MustCompile(`(?s)Exit status: .*\b2 usage`)
	for _, c := range commands(newRoot(streams{})) {
		path := strings.TrimPrefix(c.CommandPath(), "cnibench ")
		t.Run(path, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if status := Main(append(strings.Fields(path), "--help"), strings.NewReader(""), &stdout, &stderr); status != exitOK {
				t.Fatalf("--help exits with %d: %s", status, stderr.String())
			}
			help := stdout.String()
			if !statuses.MatchString(help) {
				t.Error("the help does not say with what status the command exits")
			}
			if !strings.Contains(help, "Examples:\n  cnibench "+path) && !strings.Contains(c.Example, "cnibench "+path) {
				t.Errorf("the help has no example that calls %q", path)
			}
			for _, line := range strings.Split(c.Long, "\n") {
				if len(line) > 110 {
					t.Errorf("a line of the help is longer than a terminal is wide: %q", line)
				}
			}
		})
	}
}

// Examples are commands that exist, with flags that exist.
func TestExamplesParse(t *testing.T) {
	for _, c := range commands(newRoot(streams{})) {
		for line := range strings.Lines(c.Example) {
			for _, call := range regexp.MustCompile(`cnibench ([^|>)&]*)`).FindAllStringSubmatch(line, -1) {
				args := strings.Fields(call[1])
				root := newRoot(streams{})
				found, rest, err := root.Find(args)
				if err != nil || !found.Runnable() {
					t.Errorf("%s: example %q: no such command", c.CommandPath(), call[0])
					continue
				}
				if err := found.ParseFlags(rest); err != nil {
					t.Errorf("%s: example %q: %v", c.CommandPath(), call[0], err)
				}
			}
		}
	}
}

// The commands that the documentation promises.
func TestCommands(t *testing.T) {
	var got []string
	for _, c := range commands(newRoot(streams{})) {
		got = append(got, strings.TrimPrefix(c.CommandPath(), "cnibench "))
	}
	want := []string{
		"calibrate", "claims", "claims lint", "claims list", "claims show", "cleanup", "compare", "cost", "doctor", "export", "gate", "image build", "image push", "import", "init",
		"lab down", "lab exec", "lab kubeconfig", "lab kubectl", "lab list", "lab pause", "lab resume", "lab supply", "lab up",
		"plan", "rank", "record", "report", "run", "scenarios list", "scenarios show", "serve",
		"variants check", "variants install", "variants list", "variants remove", "variants render", "variants show",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}
