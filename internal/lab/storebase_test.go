package lab

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply"
)

func TestNearestStore(t *testing.T) {
	base := storeImages{"pause": "1", "flannel": "1", "tools": "1"}
	stores := map[string]storeImages{
		"base": base, "older probe": {"pause": "1", "flannel": "1", "tools": "0"},
		"cilium": {"pause": "1", "flannel": "1", "tools": "1", "cilium": "1"}, "nothing alike": {"pause": "0"},
	}
	for _, tt := range []struct {
		name   string
		wanted storeImages
		want   string
	}{
		{"one more image", storeImages{"pause": "1", "flannel": "1", "tools": "1", "coredns": "1"}, "base"},
		{"another version of one", storeImages{"pause": "1", "flannel": "1", "tools": "2"}, "base"},
		{"the larger one", storeImages{"pause": "1", "flannel": "1", "tools": "2", "cilium": "1"}, "cilium"},
		{"fewer images", storeImages{"pause": "1", "flannel": "1"}, ""},
		{"all others", storeImages{"pause": "2", "flannel": "2", "tools": "2"}, ""},
	} {
		if got := nearestStore(stores, tt.wanted); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestStoreBase: what is listed and still there is found, and a broken listing
// is in nobody's way.
func TestStoreBase(t *testing.T) {
	dir := t.TempDir()
	kit := supply.Kit{Dir: dir, Key: "new", Images: []supply.Image{{Name: "pause", Digest: "1"}, {Name: "tools", Digest: "2"}}}
	stores := filepath.Join(dir, "containerd")
	old, gone := filepath.Join(stores, "old"), filepath.Join(stores, "gone")
	if err := errors.Join(
		os.MkdirAll(old, 0o755), storeImages{"pause": "1", "tools": "1"}.list(old), imagesOf(kit).list(gone),
		os.WriteFile(filepath.Join(stores, "broken.json"), []byte("{"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	got, have, err := storeBase(kit)
	if diff := cmp.Diff(storeImages{"pause": "1", "tools": "1"}, have); got != old || diff != "" || err != nil {
		t.Errorf("%q, %v\n%s", got, err, diff)
	}
}
