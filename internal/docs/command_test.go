package docs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// helpOf is the help of a small program with two levels.
func helpOf(words ...string) string {
	switch strings.Join(words, " ") {
	case "":
		return "Usage:\n  cnibench [command]\n\nAvailable Commands:\n  help        Help\n  lab         labs\n\nFlags:\n  -h, --help   help\n"
	case "lab":
		return "Usage:\n  cnibench lab\n\nAvailable Commands:\n  up          start\n\nFlags:\n  -h, --help   help\n"
	}
	return "Usage:\n  cnibench lab up\n\nFlags:\n  -h, --help   help\n      --max-pods int   pods\n"
}

func TestCheck(t *testing.T) {
	root := ReadCommand(helpOf)
	for line, want := range map[string]string{
		"":                           "",
		"--help":                     "",
		"lab up a --max-pods 3":      "",
		"lab up --max-pods=3":        "",
		"lab up -- --anything":       "",
		"lab down a":                 `cnibench lab has no command "down"`,
		"run":                        `cnibench has no command "run"`,
		"lab up --nodes 2":           "cnibench lab up has no flag --nodes",
		"lab up a -x":                "cnibench lab up has no flag -x",
		"lab --max-pods 3 up before": "cnibench lab has no flag --max-pods",
	} {
		got := ""
		if err := root.Check(strings.Fields(line)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("cnibench %s: %q, want %q", line, got, want)
		}
	}
}

func TestCommandLines(t *testing.T) {
	got := CommandLines("a b | c # why\nexport X=$(cnibench lab kubeconfig a)\nd \\\n  e && f\n")
	want := [][]string{{"a", "b"}, {"c"}, {"export", "X="}, {"cnibench", "lab", "kubeconfig", "a"}, {"d", "e"}, {"f"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestInvocation(t *testing.T) {
	for line, want := range map[string]string{
		"cnibench run":              "run",
		"sudo A=1 cnibench run":     "run",
		"rm -rf /var/lib cnibench":  "no",
		"echo cnibench is a name":   "no",
		"A=1 B=2":                   "no",
		"bin/cnibench plan -f FILE": "plan -f FILE",
	} {
		words, ok := Invocation(strings.Fields(line), "cnibench", "bin/cnibench")
		got := strings.Join(words, " ")
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
