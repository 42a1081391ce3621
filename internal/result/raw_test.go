package result

import (
	"os"
	"path/filepath"
	"testing"
)

// The commands of a trial are in its evidence, and nowhere else.
func TestCommands(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("results/raw/1/host/tcp/1/commands.json", "one")
	write("results/raw/1/host/loaded/2/b-commands.json", "second")
	write("results/raw/1/host/loaded/2/a-commands.json", "first")
	write("outside/commands.json", "stolen")
	if err := os.MkdirAll(filepath.Join(root, "results/raw/2/host/tcp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../../../../outside", filepath.Join(root, "results/raw/2/host/tcp/1")); err != nil {
		t.Fatal(err)
	}
	d := &Dir{path: filepath.Join(root, "results")}
	for _, test := range []struct {
		trial Trial
		want  string
	}{
		{Trial{Block: 1, Variant: "host", Cell: "tcp", Attempt: 1}, "one"},
		{Trial{Block: 1, Variant: "host", Cell: "loaded", Attempt: 2}, "first"},
		{Trial{Block: 1, Variant: "host", Cell: "tcp", Attempt: 2}, ""},
		{Trial{Block: 1, Variant: "[", Cell: "tcp", Attempt: 1}, ""},
		{Trial{Block: 1, Variant: "../../../outside", Cell: "..", Attempt: 1}, ""},
		{Trial{Block: 2, Variant: "host", Cell: "tcp", Attempt: 1}, ""},
	} {
		got, err := d.Commands(test.trial)
		if err != nil {
			t.Errorf("%v: %v", test.trial.Key(), err)
		}
		if string(got) != test.want {
			t.Errorf("%v: %q, want %q", test.trial.Key(), got, test.want)
		}
	}
}
