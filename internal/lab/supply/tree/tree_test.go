package tree

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMerged(t *testing.T) {
	tests := map[string]string{
		"./bin/sh":                      "usr/bin/sh",
		"/lib/x86_64-linux-gnu/libc.so": "usr/lib/x86_64-linux-gnu/libc.so",
		"lib64/ld-linux-x86-64.so.2":    "usr/lib64/ld-linux-x86-64.so.2",
		"usr/bin/env":                   "usr/bin/env",
		"./sbin/":                       "sbin",
		"binary/x":                      "binary/x",
		"./":                            "",
		"../../etc/passwd":              "etc/passwd",
	}
	for in, want := range tests {
		if got := Merged(in); got != want {
			t.Errorf("Merged(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzMerged(f *testing.F) {
	f.Add("./bin/sh")
	f.Add("../lib/../bin//x")
	f.Fuzz(func(t *testing.T, name string) {
		got := Merged(name)
		if strings.HasPrefix(got, "/") || got == ".." || strings.HasPrefix(got, "../") {
			t.Errorf("Merged(%q) = %q leaves the root", name, got)
		}
		if again := Merged(got); again != got {
			t.Errorf("Merged(%q) = %q, and merged again %q", name, got, again)
		}
	})
}

// must fails the test on an error.
func must(t interface {
	Helper()
	Fatal(...any)
}, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAddMergesPackages(t *testing.T) {
	tree := New()
	must(t, tree.AddDir("./bin", 0o755), tree.AddDir("usr/bin", 0o755), tree.AddDir("./usr/bin/", 0o755))
	must(t, tree.AddData("bin/sh", 0o755, "shell"))
	if err := tree.AddData("usr/bin/sh", 0o755, "another"); err == nil || !strings.Contains(err.Error(), "usr/bin/sh") {
		t.Errorf("two files at one path gave %v", err)
	}
	must(t, tree.Seal(true))
	var got []string
	for _, e := range tree.Entries() {
		got = append(got, e.Path+" "+string(e.Type)+" "+e.Link)
	}
	want := []string{"bin 2 usr/bin", "usr 5 ", "usr/bin 5 ", "usr/bin/sh 0 "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSealRefuses(t *testing.T) {
	through := New()
	must(t, through.AddLink("etc/rc", "/tmp"), through.AddData("etc/rc/file", 0o644, "x"))
	if through.Seal(false) == nil {
		t.Error("a file below a link was accepted: extracting it would write outside")
	}
	dangling := New()
	must(t, dangling.AddHardLink("usr/bin/a", "usr/bin/b"))
	if dangling.Seal(false) == nil {
		t.Error("a hard link without a target was accepted")
	}
}

func TestResolve(t *testing.T) {
	tree := New()
	must(t,
		tree.AddData("lib/x86_64-linux-gnu/ld.so.2", 0o755, "loader"),
		tree.AddLink("lib64/ld-linux.so.2", "/lib/x86_64-linux-gnu/ld.so.2"),
		tree.AddLink("usr/lib/x86_64-linux-gnu/libz.so", "libz.so.1"),
		tree.AddData("usr/lib/x86_64-linux-gnu/libz.so.1", 0o644, "zlib"),
		tree.AddLink("opt/lib", "../usr/lib"),
		tree.AddLink("etc/loop", "loop"),
		tree.Seal(true),
	)
	for name, want := range map[string]string{
		"/lib64/ld-linux.so.2":               "usr/lib/x86_64-linux-gnu/ld.so.2",
		"usr/lib/x86_64-linux-gnu/libz.so":   "usr/lib/x86_64-linux-gnu/libz.so.1",
		"opt/lib/x86_64-linux-gnu/libz.so.1": "usr/lib/x86_64-linux-gnu/libz.so.1",
		"etc/loop":                           "",
		"usr/lib":                            "",
		"no/such":                            "",
	} {
		if got, _ := tree.Resolve(name); got.Path != want {
			t.Errorf("Resolve(%q) = %q, want %q", name, got.Path, want)
		}
	}
}

// TestTarIsDeterministic: the order of adding does not show in the bytes.
func TestTarIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}(/[a-z]{1,3}){0,2}`), 1, 8, rapid.ID[string]).Draw(t, "names")
		shuffled := rapid.Permutation(names).Draw(t, "order")
		first, errFirst := tarOf(names)
		second, errSecond := tarOf(shuffled)
		if (errFirst == nil) != (errSecond == nil) || !bytes.Equal(first, second) {
			t.Fatalf("%v and %v differ (%v, %v)", names, shuffled, errFirst, errSecond)
		}
	})
}

// tarOf makes a tree of files; a name that is also a directory is an error.
func tarOf(names []string) ([]byte, error) {
	tree := New()
	for _, name := range names {
		if err := tree.AddData(name, 0o644, "content of "+name); err != nil {
			return nil, err
		}
	}
	if err := tree.Seal(true); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err := tree.WriteTar(&out)
	return out.Bytes(), err
}

// TestExtractAgreesWithTar extracts a tree and compares every kind of entry.
func TestExtractAgreesWithTar(t *testing.T) {
	tree := New()
	must(t,
		tree.AddData("usr/bin/program", 0o4755, "program"),
		tree.AddHardLink("opt/program", "usr/bin/program"),
		tree.AddLink("usr/bin/link", "program"),
		tree.AddDir("tmp", 0o1777),
		tree.Seal(true),
	)
	dir := t.TempDir()
	must(t, tree.Extract(dir))
	program, err := os.Stat(filepath.Join(dir, "bin/program"))
	must(t, err)
	if program.Mode() != 0o755|os.ModeSetuid || program.ModTime().Unix() != 0 {
		t.Errorf("program has mode %v and time %v", program.Mode(), program.ModTime())
	}
	linked, err := os.Stat(filepath.Join(dir, "opt/program"))
	must(t, err)
	if !os.SameFile(program, linked) {
		t.Error("the hard link is another file")
	}
	if target, err := os.Readlink(filepath.Join(dir, "usr/bin/link")); err != nil || target != "program" {
		t.Errorf("link is %q, %v", target, err)
	}
	if tmp, err := os.Stat(filepath.Join(dir, "tmp")); err != nil || tmp.Mode() != os.ModeDir|os.ModeSticky|0o777 {
		t.Errorf("tmp is %v, %v", tmp, err)
	}
	var stream bytes.Buffer
	must(t, tree.WriteTar(&stream))
	in, seen := tar.NewReader(&stream), map[string]bool{}
	for h, err := in.Next(); err == nil; h, err = in.Next() {
		if h.Typeflag == tar.TypeLink && !seen[h.Linkname] {
			t.Errorf("hard link %s comes before its target", h.Name)
		}
		seen[h.Name] = true
		if _, err := os.Lstat(filepath.Join(dir, h.Name)); err != nil {
			t.Error(err)
		}
	}
	if len(seen) != len(tree.Entries()) {
		t.Errorf("the stream has %d entries, the tree %d", len(seen), len(tree.Entries()))
	}
}

func TestRemoveEmptyDir(t *testing.T) {
	tree := New()
	if err := errors.Join(tree.AddDir("var/run", 0o755), tree.AddData("var/lib/x", 0o644, ""), tree.AddDir("var/lib", 0o755)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"var/run": true, "var/lib": false, "var/lib/x": false, "nowhere": false} {
		if got := tree.RemoveEmptyDir(name); got != want {
			t.Errorf("removing %s: %t", name, got)
		}
	}
	if _, ok := tree.Get("var/run"); ok {
		t.Error("the directory is still there")
	}
}
