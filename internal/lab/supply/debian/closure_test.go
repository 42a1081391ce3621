package debian

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

const triplet = "lib/x86_64-linux-gnu/"

// pool is a small distribution: a program, libraries that need each other, and
// a scripting language that the program's package depends on but never loads.
func pool(t *testing.T) *Pool {
	t.Helper()
	dir := t.TempDir()
	elf := func(name, interpreter string, needed ...string) tree.Entry {
		return entry(t, dir, name, buildELF(interpreter, "", needed...))
	}
	pkg := func(name string, entries ...tree.Entry) unpacked {
		return unpacked{Archive{Name: name, Version: "1"}, entries}
	}
	const loader = "/lib64/ld.so.2"
	return &Pool{packages: []unpacked{
		pkg("app", elf("usr/sbin/app", loader, "liba.so.1", "libc.so.6"), elf("usr/lib/app/plugin.so", "", "libabsent.so.1"),
			entry(t, dir, "usr/bin/script", []byte("#!/usr/bin/perl\n"))),
		pkg("liba1", elf(triplet+"liba.so.1.2", "", "libb.so.2"),
			tree.Entry{Path: "usr/" + triplet + "liba.so.1", Type: '2', Link: "liba.so.1.2"}),
		pkg("libb2", elf(triplet+"libb.so.2", "", "libc.so.6")),
		pkg("libc6", elf(triplet+"libc.so.6", ""), elf(triplet+"ld.so.2", ""),
			tree.Entry{Path: "usr/lib64/ld.so.2", Type: '2', Link: "/" + triplet + "ld.so.2"}),
		pkg("libgcc-s1", elf(triplet+"libgcc_s.so.1", "", "libc.so.6")),
		pkg("perl", elf("usr/bin/perl", loader, "libc.so.6")),
		pkg("broken", elf("usr/bin/broken", "/lib64/ld-other.so", "libabsent.so.1", "libc.so.6")),
	}}
}

func TestSelectFollowsLibraries(t *testing.T) {
	out, used, err := pool(t).Select([]string{"app"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range used {
		names = append(names, a.Name)
	}
	if diff := cmp.Diff([]string{"app", "liba1", "libb2", "libc6", "libgcc-s1"}, names); diff != "" {
		t.Error(diff)
	}
	if err := out.Seal(true); err != nil {
		t.Fatal(err)
	}
	if err := CheckLibraries(out); err != nil {
		t.Errorf("a complete tree, with a plugin nobody uses, was refused: %v", err)
	}
}

func TestSelectUnknownPackage(t *testing.T) {
	if _, _, err := pool(t).Select([]string{"nonesuch"}); err == nil || !strings.Contains(err.Error(), "nonesuch") {
		t.Errorf("error is %v", err)
	}
}

func TestCheckLibrariesNamesWhatIsMissing(t *testing.T) {
	out, _, err := pool(t).Select([]string{"broken"})
	if err != nil {
		t.Fatal(err)
	}
	err = CheckLibraries(out)
	for _, want := range []string{"usr/bin/broken", "libabsent.so.1", "/lib64/ld-other.so"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
}

func TestCheckLibrariesFollowsRunpath(t *testing.T) {
	dir := t.TempDir()
	out := tree.New()
	for _, e := range []tree.Entry{
		entry(t, dir, "usr/lib/ld.so.2", buildELF("", "")),
		entry(t, dir, "opt/app/bin/app", buildELF("/lib/ld.so.2", "$ORIGIN/../lib", "libprivate.so")),
		entry(t, dir, "opt/app/lib/libprivate.so", buildELF("", "")),
	} {
		if err := out.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := CheckLibraries(out); err != nil {
		t.Error(err)
	}
}
