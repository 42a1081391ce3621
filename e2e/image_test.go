//go:build e2e

package e2e

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// What `image build` writes loads as an archive, and what `image push` copies
// to a registry is the same image.
func TestImage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.tar")
	built := run(t, "image", "build", "-o", file)
	if built.status != 0 {
		t.Fatalf("image build: exit status %d\n%s", built.status, built.stderr)
	}
	ref, id, _ := strings.Cut(strings.TrimSpace(built.stdout), " ")
	tag, err := name.NewTag(ref)
	if err != nil {
		t.Fatalf("image build prints %q: %v", built.stdout, err)
	}
	archived, err := tarball.ImageFromPath(file, &tag)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := archived.ConfigName(); err != nil || got.String() != id {
		t.Errorf("the archive holds image %s, %v; printed was %s", got, err, id)
	}

	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	target := strings.TrimPrefix(server.URL, "http://") + "/cnibench/tools"
	pushed := run(t, "image", "push", target+":v1")
	if pushed.status != 0 {
		t.Fatalf("image push: exit status %d\n%s", pushed.status, pushed.stderr)
	}
	printed := strings.TrimSpace(pushed.stdout)
	digest, err := name.NewDigest(printed)
	if err != nil || !strings.HasPrefix(printed, target+"@") {
		t.Fatalf("image push prints %q: %v", printed, err)
	}
	pulled, err := remote.Image(digest)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := pulled.ConfigName(); err != nil || got.String() != id {
		t.Errorf("the registry holds image %s, %v; built was %s", got, err, id)
	}
	if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) != 1 {
		t.Errorf("image build left %v, %v", entries, err)
	}
}
