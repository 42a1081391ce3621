package charts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
)

// archive is a chart as repositories have it.
func archive(t *testing.T, name, version string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	text := fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", name, version)
	if err := w.WriteHeader(&tar.Header{Name: name + "/Chart.yaml", Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	_, err := w.Write([]byte(text))
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// server is a Helm repository with the chart a 1.0.0; it counts requests.
func server(t *testing.T, digestInIndex string) (address string, requests *int) {
	t.Helper()
	requests = new(int)
	data := archive(t, "a", "1.0.0")
	if digestInIndex == "" {
		digestInIndex = digest(data)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		switch r.URL.Path {
		case "/stable/index.yaml":
			_, _ = fmt.Fprintf(w, "entries:\n  a:\n    - {version: 1.0.0, urls: [a-1.0.0.tgz], digest: %s}\n    - {version: 2.0.0, urls: [a-1.0.0.tgz]}\n", digestInIndex)
		case "/stable/a-1.0.0.tgz":
			_, _ = w.Write(data)
		case "/m.yaml":
			_, _ = w.Write([]byte("kind: ConfigMap\n"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func TestRepository(t *testing.T) {
	address, requests := server(t, "")
	n := Network{Cache: Cache(t.TempDir())}
	ref := Ref{"a", address + "/stable", "v1.0.0"}
	first, err := n.Chart(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	asked := *requests
	second, err := n.Chart(context.Background(), ref)
	if err != nil || second != first || *requests != asked {
		t.Errorf("the second time: %s, %v, %d requests; want %s from the cache", second, err, *requests-asked, first)
	}
	if err := os.WriteFile(first, []byte("spoilt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, err := n.Chart(context.Background(), ref); err != nil || again != first || *requests == asked {
		t.Errorf("a spoilt file of the cache: %s, %v; want it fetched again", again, err)
	}
}

func TestManifest(t *testing.T) {
	address, requests := server(t, "")
	n := Network{Cache: Cache(t.TempDir())}
	for range 2 {
		if data, err := n.Manifest(context.Background(), address+"/m.yaml"); err != nil || string(data) != "kind: ConfigMap\n" {
			t.Errorf("%q, %v", data, err)
		}
	}
	if *requests != 1 {
		t.Errorf("%d requests for one manifest", *requests)
	}
}

func TestRegistry(t *testing.T) {
	s := httptest.NewServer(registry.New())
	t.Cleanup(s.Close)
	host := strings.TrimPrefix(s.URL, "http://")
	image, err := mutate.AppendLayers(empty.Image, static.NewLayer(archive(t, "a", "1.0.0+b"), chartLayer))
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(host + "/charts/a:1.0.0_b")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, image); err != nil {
		t.Fatal(err)
	}
	n := Network{Cache: Cache(t.TempDir())}
	if _, err := n.Chart(context.Background(), Ref{"a", "oci://" + host + "/charts", "1.0.0+b"}); err != nil {
		t.Error(err)
	}
	s.Close()
	if _, err := n.Chart(context.Background(), Ref{"a", "oci://" + host + "/charts", "1.0.0+b"}); err != nil {
		t.Error("offline: ", err)
	}
}

func TestUnavailable(t *testing.T) {
	good, _ := server(t, "")
	other, _ := server(t, "sha256:00")
	for _, tt := range []struct{ name, repository, chart, version, want string }{
		{"no such version", good + "/stable", "a", "3.0.0", "no version 3.0.0 of a"},
		{"no such chart", good + "/stable", "b", "1.0.0", "no chart b"},
		{"another version in the archive", good + "/stable", "a", "2.0.0", "the chart there is a 1.0.0"},
		{"another digest", other + "/stable", "a", "1.0.0", "the index says sha256:00"},
		{"no index", good, "a", "1.0.0", "/index.yaml: the server says 404"},
		{"nobody there", "http://127.0.0.1:1", "a", "1.0.0", "http://127.0.0.1:1/index.yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Network{Cache: Cache(t.TempDir())}.Chart(context.Background(), Ref{tt.chart, tt.repository, tt.version})
			var unavailable *UnavailableError
			if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(unavailable.Hint(), "--charts DIR") {
				t.Errorf("error %v, want %q and what to do", err, tt.want)
			}
		})
	}
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	for file, data := range map[string][]byte{"a-1.0.0.tgz": archive(t, "a", "1.0.0"), "b.tgz": archive(t, "b", "2.0.0"), "m.yaml": []byte("kind: X\n")} {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := Directory(dir)
	if path, err := d.Chart(context.Background(), Ref{Name: "a", Version: "v1.0.0"}); err != nil || filepath.Base(path) != "a-1.0.0.tgz" {
		t.Errorf("%s, %v", path, err)
	}
	if _, err := d.Chart(context.Background(), Ref{Name: "b", Version: "1.0.0"}); err == nil || !strings.Contains(err.Error(), "b.tgz is b 2.0.0") {
		t.Errorf("another version: %v", err)
	}
	if _, err := d.Chart(context.Background(), Ref{Name: "c", Version: "1.0.0"}); !errors.Is(err, ErrNotHere) {
		t.Errorf("no such chart: %v", err)
	}
	if data, err := d.Manifest(context.Background(), "https://example.org/x/m.yaml"); err != nil || string(data) != "kind: X\n" {
		t.Errorf("%q, %v", data, err)
	}
}
