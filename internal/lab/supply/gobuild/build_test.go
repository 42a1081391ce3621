package gobuild

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// standIn is a shell script in place of the go command.
func standIn(t *testing.T, script string) Toolchain {
	t.Helper()
	path := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return Toolchain{Path: path, Version: "go1.99"}
}

// TestBuildReportsAndLinks follows a build from downloads to the link step.
func TestBuildReportsAndLinks(t *testing.T) {
	tool := standIn(t, `
case $1 in
list)  echo "go: downloading k8s.io/kubernetes v1.34.4" >&2; printf 'unsafe\nfmt\nk8s.io/x\ncnibench.io/lab/kubernetes\n' ;;
build) printf 'fmt\nk8s.io/x\ncnibench.io/lab/kubernetes\n' >&2; echo program >"$4"; ls go.mod go.sum main.go >/dev/null ;;
esac`)
	var got []string
	step := progress.Start("kubernetes", func(p progress.Progress) {
		p.Elapsed = 0
		got = append(got, strings.TrimPrefix(p.String(), "kubernetes: "))
	})
	dir := t.TempDir()
	err := tool.Build(t.Context(), Kubernetes(), dir, step)
	step.End(err != nil)
	if err != nil {
		t.Fatal(err)
	}
	// The second package follows too soon to be reported.
	want := []string{"listing packages", "downloaded 1 module", "looking into Go's build cache", "compiled 1 of 3 packages", "linking", "ready"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, name := range append(Kubernetes().Links, "kubernetes") {
		if content, err := os.ReadFile(filepath.Join(dir, "root/usr/local/bin", name)); err != nil || string(content) != "program\n" {
			t.Errorf("%s is %q, %v", name, content, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, workName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the module was left in the result: %v", err)
	}
}

// TestBuildTakesUpstreamMain builds flannel from a module cache that holds a
// small upstream.
func TestBuildTakesUpstreamMain(t *testing.T) {
	module := t.TempDir()
	source := "package main\n\nimport (\n"
	for _, path := range append(Flanneld().Upstream.Drop, "example.com/vxlan") {
		source += "\t_ \"" + path + "\"\n"
	}
	chart := filepath.Join(module, "chart/kube-flannel")
	if err := errors.Join(
		os.WriteFile(filepath.Join(module, "main.go"), []byte(source+")\n"), 0o444),
		os.MkdirAll(chart, 0o755),
		os.WriteFile(filepath.Join(chart, "Chart.yaml"), []byte("name: flannel\n"), 0o444),
	); err != nil {
		t.Fatal(err)
	}
	tool := standIn(t, `
case $1 in
mod)   echo '{"Dir": "`+module+`"}' ;;
build) cp main.go "$4" ;;
esac`)
	dir := t.TempDir()
	step := progress.Start("flannel", nil)
	err := tool.Build(t.Context(), Flanneld(), dir, step)
	step.End(true)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "flanneld"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("package main\n\nimport (\n\t_ \"example.com/vxlan\"\n)\n", string(got)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "chart/kube-flannel/Chart.yaml")); err != nil {
		t.Error(err)
	}
}

func TestBuildExplainsFailures(t *testing.T) {
	tests := []struct{ words, hint string }{
		{"k8s.io/api@v0.34.4: Get \"https://proxy\": dial tcp: lookup proxy: no such host", "GOPROXY"},
		{"verifying module: checksum mismatch", "GOSUMDB"},
		{"write /x: no space left on device", "CNIBENCH_CACHE"},
		{"compile: signal: killed", "memory"},
		{"main.go:1:1: undefined: x", "report it"},
	}
	for _, test := range tests {
		tool := standIn(t, "echo '"+test.words+"' >&2; exit 1")
		step := progress.Start("kubernetes", nil)
		err := tool.Build(t.Context(), Kubernetes(), t.TempDir(), step)
		step.End(true)
		if err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("error %v does not repeat %q", err, test.words)
		}
		var hinted interface{ Hint() string }
		if !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), test.hint) {
			t.Errorf("%q: the hint does not speak of %s", test.words, test.hint)
		}
	}
}

func TestBuildStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	step := progress.Start("kubernetes", func(p progress.Progress) {
		if p.Verb == "downloaded" {
			cancel()
		}
	})
	err := standIn(t, "echo 'go: downloading x v1' >&2; sleep 1000").Build(ctx, Kubernetes(), t.TempDir(), step)
	step.End(true)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// TestBuildPutsSeveralProgramsInPlace builds a module with two programs and
// takes a file and a directory along.
func TestBuildPutsSeveralProgramsInPlace(t *testing.T) {
	module := t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(module, "install.sh"), []byte("script"), 0o555),
		os.Mkdir(filepath.Join(module, "bpf"), 0o755),
		os.WriteFile(filepath.Join(module, "bpf/lxc.c"), []byte("source"), 0o444),
	); err != nil {
		t.Fatal(err)
	}
	tool := standIn(t, `
case $1 in
list)  echo fmt ;;
mod)   echo '{"Dir": "`+module+`"}' ;;
build) mkdir -p "$4" && echo agent >"$4/daemon" && echo tool >"$4/mount" ;;
esac`)
	p := Cilium()
	p.Package, p.Output = "example.com/daemon", "bin/agent"
	p.More = []Target{{"example.com/tools/mount", "bin/cilium-mount"}}
	p.Copies = []Copy{{"example.com", "install.sh", "scripts/install.sh"}, {"example.com", "bpf", "bpf"}}
	dir := t.TempDir()
	step := progress.Start("cilium", nil)
	err := tool.Build(t.Context(), p, dir, step)
	step.End(err != nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"bin/agent": "agent\n", "bin/cilium-mount": "tool\n", "scripts/install.sh": "script", "bpf/lxc.c": "source",
	}
	for name, content := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != content {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	for _, name := range p.Outputs() {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
