package supply

import (
	"path/filepath"
	"testing"
)

func TestDefaultDir(t *testing.T) {
	t.Setenv("CNIBENCH_CACHE", "/srv/cache")
	if dir, err := DefaultDir(); err != nil || dir != "/srv/cache" {
		t.Errorf("with CNIBENCH_CACHE: %q, %v", dir, err)
	}
	t.Setenv("CNIBENCH_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "/home/user/.cache")
	if dir, err := DefaultDir(); err != nil || dir != "/home/user/.cache/cnibench" {
		t.Errorf("without: %q, %v", dir, err)
	}
}

func TestCheckDir(t *testing.T) {
	for _, dir := range []string{"/a:b", "/a,b", `/a\b`, `/a"b`} {
		if _, err := checkDir(dir); err == nil {
			t.Errorf("%q was accepted", dir)
		}
	}
	if dir, err := checkDir("/var/cache/lab 1/"); err != nil || dir != "/var/cache/lab 1" {
		t.Errorf("a good name became %q, %v", dir, err)
	}
	if dir, err := checkDir("relative"); err != nil || !filepath.IsAbs(dir) {
		t.Errorf("a relative name became %q, %v", dir, err)
	}
}
