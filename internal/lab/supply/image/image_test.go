package image

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// layer writes a tar file with one file.
func layer(t *testing.T, content string) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Name: "pause", Mode: 0o755, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "layer.tar")
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

const toolsName = "docker.io/cnibench/tools:lab"

// write composes an image of layers and returns its archive and ID.
func write(t *testing.T, layers ...string) (archive, id string) {
	t.Helper()
	archive = filepath.Join(t.TempDir(), "image.tar")
	id, err := Write(archive, toolsName, Compose(Recipe{
		Layers: layers, Entrypoint: []string{"/pause"}, Path: "/bin", Labels: map[string]string{"b": "2", "a": "1"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return archive, id
}

func TestWriteIsDeterministic(t *testing.T) {
	first, firstID := write(t, layer(t, "one"), layer(t, "two"))
	second, secondID := write(t, layer(t, "one"), layer(t, "two"))
	_, otherID := write(t, layer(t, "one"), layer(t, "three"))
	if firstID != secondID {
		t.Errorf("the same layers gave %s and %s", firstID, secondID)
	}
	if firstID == otherID {
		t.Error("other layers gave the same ID")
	}
	a, errA := os.ReadFile(first)
	b, errB := os.ReadFile(second)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the archives differ (%v, %v)", errA, errB)
	}
}

// TestArchiveReadsBack reads an archive as container runtimes do.
func TestArchiveReadsBack(t *testing.T) {
	archive, id := write(t, layer(t, "one"), layer(t, "two"))
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(archive) })
	if err != nil {
		t.Fatal(err)
	}
	// Runtimes know the registry as docker.io, the library as index.docker.io.
	if diff := cmp.Diff([]string{toolsName}, manifest[0].RepoTags); diff != "" {
		t.Error(diff)
	}
	image, err := tarball.ImageFromPath(archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Architecture != runtime.GOARCH || config.Config.Entrypoint[0] != "/pause" || config.Config.Labels["a"] != "1" {
		t.Errorf("configuration is %+v", config)
	}
	if len(config.RootFS.DiffIDs) != 2 {
		t.Errorf("layers are %v", config.RootFS.DiffIDs)
	}
	if name, err := image.ConfigName(); err != nil || name.String() != id {
		t.Errorf("the archive's ID is %v, %v; Write said %s", name, err, id)
	}
}
