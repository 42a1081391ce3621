package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/docs"
)

func TestExamplesRun(t *testing.T) {
	ran := 0
	for _, p := range pages(t) {
		dir := t.TempDir()
		if err := docs.WriteFiles(dir, p.blocks); err != nil {
			t.Fatal(err)
		}
		for _, b := range p.blocks {
			if b.Runs() {
				ran++
				run(t, p.name, b, dir)
			}
		}
	}
	if ran == 0 {
		t.Error("no page has an example that is run")
	}
}

func run(t *testing.T, page string, b docs.Block, dir string) {
	t.Helper()
	argv := b.Shell()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s:%d: %v\n%s%s", page, b.Line, err, b.Text, out)
	}
}

// TestSourceExamplesBuild lays the files that CONTRIBUTING.md shows over the
// source tree, builds cnibench, and looks for what they add.
func TestSourceExamplesBuild(t *testing.T) {
	blocks, _ := docs.Parse(read(t, filepath.Join(root, "CONTRIBUTING.md")))
	dir := t.TempDir()
	overlay := layOver(t, dir, blocks)
	program := filepath.Join(dir, "cnibench")
	for _, args := range [][]string{
		{"test", "-count=1", "-overlay", overlay, "-run", "Ping", "./internal/load"},
		{"build", "-ldflags=-s -w", "-overlay", overlay, "-o", program, "./cmd/cnibench"},
	} {
		build := exec.Command("go", args...)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	for _, want := range []struct{ list, name string }{
		{"scenarios", "tcp-pod-sixteen"}, {"variants", "flannel-host-gw-nft"},
	} {
		out, err := exec.Command(program, want.list, "list").Output()
		if err != nil || !strings.Contains(string(out), want.name) {
			t.Errorf("cnibench %s list does not show %s (%v):\n%s", want.list, want.name, err, out)
		}
	}
}

// layOver writes the files of the source tree that blocks show, and the file
// that go takes them from.
func layOver(t *testing.T, dir string, blocks []docs.Block) string {
	t.Helper()
	replace := map[string]string{}
	for _, b := range blocks {
		if !strings.Contains(b.File(), "/") {
			continue
		}
		place, err := filepath.Abs(filepath.Join(root, b.File()))
		if err != nil {
			t.Fatal(err)
		}
		replace[place] = filepath.Join(dir, strings.ReplaceAll(b.File(), "/", "_"))
		if err := os.WriteFile(replace[place], []byte(b.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(replace) < 3 {
		t.Fatalf("CONTRIBUTING.md shows only %d files", len(replace))
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return overlay
}
