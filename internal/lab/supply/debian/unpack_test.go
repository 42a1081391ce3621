package debian

import (
	"archive/tar"
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

func packageTar(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		content := []byte("content of " + h.Name)
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(content))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestReadEntries reads a package of the old layout and leaves out its
// documentation.
func TestReadEntries(t *testing.T) {
	data := packageTar(t,
		tar.Header{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755},
		tar.Header{Name: "./bin/", Typeflag: tar.TypeDir, Mode: 0o755},
		tar.Header{Name: "./bin/mount", Typeflag: tar.TypeReg, Mode: 0o4755},
		tar.Header{Name: "./bin/umount", Typeflag: tar.TypeLink, Linkname: "./bin/mount"},
		tar.Header{Name: "./sbin/swapon", Typeflag: tar.TypeSymlink, Linkname: "../bin/mount"},
		tar.Header{Name: "./usr/share/doc/mount/copyright", Typeflag: tar.TypeReg},
		tar.Header{Name: "./usr/lib/x86_64-linux-gnu/gconv/UTF-7.so", Typeflag: tar.TypeReg},
	)
	got, err := readEntries(bytes.NewReader(data), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := []tree.Entry{
		{Path: "bin", Type: tar.TypeDir, Mode: 0o755},
		{Path: "usr/bin/mount", Type: tar.TypeReg, Mode: 0o4755, Size: 22},
		{Path: "usr/bin/umount", Type: tar.TypeLink, Link: "usr/bin/mount"},
		{Path: "usr/sbin/swapon", Type: tar.TypeSymlink, Link: "../bin/mount"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(tree.Entry{}, "File")); diff != "" {
		t.Error(diff)
	}
	if content, err := os.ReadFile(got[1].File); err != nil || string(content) != "content of ./bin/mount" {
		t.Errorf("content is %q, %v", content, err)
	}
}

func TestReadEntriesRefusesDevices(t *testing.T) {
	data := packageTar(t, tar.Header{Name: "./dev/sda", Typeflag: tar.TypeBlock})
	if _, err := readEntries(bytes.NewReader(data), t.TempDir()); err == nil {
		t.Error("a device was accepted")
	}
}

func FuzzReadEntries(f *testing.F) {
	f.Add(packageTar(f, tar.Header{Name: "./bin/sh", Typeflag: tar.TypeReg, Mode: 0o755}))
	f.Add(packageTar(f, tar.Header{Name: "../../x", Typeflag: tar.TypeSymlink, Linkname: "/"}))
	dir := f.TempDir() // every input overwrites the last one's files
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := readEntries(bytes.NewReader(data), dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.Path != tree.Merged(e.Path) || e.Path == "" {
				t.Errorf("unclean path %q", e.Path)
			}
		}
	})
}
