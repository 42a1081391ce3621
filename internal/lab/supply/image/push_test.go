package image_test

import (
	"context"
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

	"github.com/cnibench/cnibench/internal/lab/supply/image"
	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// archive composes a small image and returns its file.
func archive(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program, layer, file := filepath.Join(dir, "program"), filepath.Join(dir, "layer.tar"), filepath.Join(dir, "image.tar")
	if err := os.WriteFile(program, []byte("#!/bin/true\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := tree.New()
	if err := files.AddFile("bin/program", 0o755, program); err != nil {
		t.Fatal(err)
	}
	if err := files.Seal(false); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(layer)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.WriteTar(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	recipe := image.Recipe{Layers: []string{layer}, Entrypoint: []string{"/bin/program"}, Path: "/bin"}
	if _, err := image.Write(file, "example.com/program:v1", image.Compose(recipe)); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	digest, err := image.Push(t.Context(), archive(t), host+"/program:v1")
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(host + "/program@" + digest)
	if err != nil {
		t.Fatal(err)
	}
	pulled, err := remote.Image(ref)
	if err != nil {
		t.Fatal(err)
	}
	config, err := pulled.ConfigFile()
	if err != nil || len(config.Config.Entrypoint) != 1 || config.Config.Entrypoint[0] != "/bin/program" {
		t.Errorf("pulled %+v, %v", config, err)
	}
	// What is composed of the same files again is the same image.
	again, err := image.Push(t.Context(), archive(t), host+"/program:again")
	if err != nil || again != digest {
		t.Errorf("the second time the digest is %s, %v; it was %s", again, err, digest)
	}
}

func TestPushRefuses(t *testing.T) {
	for _, tt := range []struct{ name, archive, ref, want string }{
		{"reference that is none", archive(t), "UPPER CASE", "naming image"},
		{"archive that is not there", "none.tar", "example.com/a:b", "reading none.tar"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := image.Push(context.Background(), tt.archive, tt.ref)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
