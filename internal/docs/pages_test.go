package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/docs"
)

const root = "../.."

// program is a cnibench that TestMain builds, in a directory of its own.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "cnibench-docs")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "cnibench")
	status := 1
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "../../cmd/cnibench").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building cnibench: %v\n%s", err, out)
	} else {
		status = m.Run()
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// page is a page of the documentation, taken apart.
type page struct {
	name   string // relative to the root
	blocks []docs.Block
	prose  string
}

// commands lists all command lines of a page, also those that are not run.
func (p page) commands() [][]string {
	var all [][]string
	for _, b := range p.blocks {
		if b.Language == "sh" {
			all = append(all, docs.CommandLines(b.Text)...)
		}
	}
	for _, span := range docs.CodeSpans(p.prose) {
		all = append(all, docs.CommandLines(span)...)
	}
	return all
}

func pages(t *testing.T) []page {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []page
	for _, name := range append(names, more...) {
		blocks, prose := docs.Parse(read(t, name))
		relative, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page{relative, blocks, prose})
	}
	if len(all) < 7 {
		t.Fatalf("found only %d pages", len(all))
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func commandTree(t *testing.T) *docs.Command {
	t.Helper()
	return docs.ReadCommand(func(words ...string) string {
		out, err := exec.Command(program, append(words, "--help")...).CombinedOutput()
		if err != nil {
			t.Fatalf("cnibench %s --help: %v\n%s", strings.Join(words, " "), err, out)
		}
		return string(out)
	})
}

func TestCommandsOfPagesExist(t *testing.T) {
	tree := commandTree(t)
	for _, p := range pages(t) {
		for _, command := range p.commands() {
			words, ok := docs.Invocation(command, "cnibench", "bin/cnibench", "./bin/cnibench")
			if !ok || slices.Contains(words, "…") || slices.Contains(words, "...") {
				continue
			}
			if err := tree.Check(words); err != nil {
				t.Errorf("%s: %q: %v", p.name, strings.Join(command, " "), err)
			}
		}
	}
}

// quoted finds commands that messages of the program advise.
var quoted = regexp.MustCompile("`(cnibench [a-z][^`\n]*)`|\"(cnibench [a-z][^\"\n]*)\"")

func TestCommandsOfMessagesExist(t *testing.T) {
	tree := commandTree(t)
	for name, text := range sources(t) {
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			for _, command := range docs.CommandLines(m[1] + m[2]) {
				words, ok := docs.Invocation(command, "cnibench")
				if !ok || len(words) > 0 && strings.HasSuffix(words[0], ":") {
					continue // a title, such as "cnibench gate: regression"
				}
				if err := tree.Check(words); err != nil {
					t.Errorf("%s: %s: %v", name, m[0], err)
				}
			}
		}
	}
}

// sources reads the program's own files that hold messages.
func sources(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		source := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if source || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".html") {
			// An escaped quote is a quote.
			texts[name] = strings.ReplaceAll(read(t, name), `\"`, `"`)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

var target = regexp.MustCompile(`(?m)^([a-z][-a-z0-9]*):`)

func TestMakeTargetsExist(t *testing.T) {
	var targets []string
	for _, m := range target.FindAllStringSubmatch(read(t, filepath.Join(root, "Makefile")), -1) {
		targets = append(targets, m[1])
	}
	for _, p := range pages(t) {
		for _, command := range p.commands() {
			words, ok := docs.Invocation(command, "make")
			if !ok {
				continue
			}
			for _, w := range words {
				if !strings.Contains(w, "=") && !slices.Contains(targets, w) {
					t.Errorf("%s: %q: the Makefile has no target %s", p.name, strings.Join(command, " "), w)
				}
			}
		}
	}
}

func TestLinksResolve(t *testing.T) {
	for _, p := range pages(t) {
		for _, link := range docs.Links(p.prose) {
			file, anchor, _ := strings.Cut(link, "#")
			name := filepath.Join(root, filepath.Dir(p.name), file)
			if file == "" {
				name = filepath.Join(root, p.name)
			}
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s: link to %s: %v", p.name, link, err)
				continue
			}
			if anchor == "" {
				continue
			}
			if _, prose := docs.Parse(read(t, name)); !slices.Contains(docs.Anchors(prose), anchor) {
				t.Errorf("%s: link to %s: the page has no such heading", p.name, link)
			}
		}
	}
}

// ofTree are paths of the source tree, as prose names them.
var ofTree = regexp.MustCompile(`^\.?/?((?:internal|cmd|hack|docs|e2e)/[-A-Za-z0-9_./*]+?)(?:/\.\.\.)?$`)

func TestPathsExist(t *testing.T) {
	for _, p := range pages(t) {
		examples := map[string]bool{}
		for _, b := range p.blocks {
			examples[b.File()] = true
		}
		for _, command := range p.commands() {
			for _, w := range command {
				m := ofTree.FindStringSubmatch(strings.TrimRight(w, ".,"))
				if m == nil || examples[m[1]] {
					continue
				}
				if found, err := filepath.Glob(filepath.Join(root, m[1])); err != nil || len(found) == 0 {
					t.Errorf("%s: the tree has no %s", p.name, m[1])
				}
			}
		}
	}
}
