package charts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"sigs.k8s.io/yaml"
)

// Network gets charts and manifests from their repositories and keeps them.
// What is in the cache is never asked for again: a released version does not
// change.
type Network struct {
	Cache  Cache
	Client *http.Client // of Helm repositories and manifests; nil: http.DefaultClient
}

// maxSize bounds what is fetched, in bytes: the largest index of the catalog's
// repositories has some ten megabytes.
const maxSize = 256 << 20

// Chart fetches a chart unless it is in the cache.
func (n Network) Chart(ctx context.Context, ref Ref) (string, error) {
	if ref.Repository == "" {
		return "", ErrNotHere
	}
	key := "chart " + ref.Repository + " " + ref.Name + " " + plain(ref.Version)
	if path, ok := n.Cache.find(key); ok {
		return path, nil
	}
	var data []byte
	var from string
	var err error
	if strings.HasPrefix(ref.Repository, ociScheme) {
		data, from, err = n.fromRegistry(ctx, ref)
	} else {
		data, from, err = n.fromRepository(ctx, ref)
	}
	if err == nil {
		err = checkChart(data, ref)
	}
	if err != nil {
		return "", &UnavailableError{What: "chart " + ref.String(), URL: from, Err: err}
	}
	return n.Cache.keep(key, ".tgz", data)
}

// Manifest fetches a manifest unless it is in the cache.
func (n Network) Manifest(ctx context.Context, address string) ([]byte, error) {
	key := "manifest " + address
	if path, ok := n.Cache.find(key); ok {
		return os.ReadFile(path)
	}
	data, err := n.get(ctx, address)
	if err != nil {
		return nil, &UnavailableError{What: "the manifest", URL: address, Err: err}
	}
	_, err = n.Cache.keep(key, ".yaml", data)
	return data, err
}

// fromRepository finds a chart in the index of a Helm repository, fetches it
// and checks its digest.
func (n Network) fromRepository(ctx context.Context, ref Ref) (data []byte, from string, err error) {
	base, err := url.Parse(strings.TrimSuffix(ref.Repository, "/") + "/")
	if err != nil {
		return nil, ref.Repository, err
	}
	from = base.JoinPath("index.yaml").String()
	text, err := n.get(ctx, from)
	if err != nil {
		return nil, from, err
	}
	found, err := findRelease(text, ref)
	if err != nil {
		return nil, from, err
	}
	at, err := base.Parse(found.URLs[0])
	if err != nil {
		return nil, from, err
	}
	from = at.String()
	if data, err = n.get(ctx, from); err != nil {
		return nil, from, err
	}
	if want := strings.TrimPrefix(found.Digest, "sha256:"); want != "" && want != digest(data) {
		return nil, from, fmt.Errorf("its digest is sha256:%s, the index says %s", digest(data), found.Digest)
	}
	return data, from, nil
}

// release is an entry of a Helm repository's index.
type release struct {
	Version string   `json:"version"`
	URLs    []string `json:"urls"` // absolute, or relative to the repository
	Digest  string   `json:"digest"`
}

func findRelease(index []byte, ref Ref) (release, error) {
	var in struct {
		Entries map[string][]release `json:"entries"`
	}
	if err := yaml.Unmarshal(index, &in); err != nil {
		return release{}, fmt.Errorf("reading the index: %w", err)
	}
	releases, ok := in.Entries[ref.Name]
	if !ok {
		return release{}, fmt.Errorf("the repository has no chart %s", ref.Name)
	}
	for _, r := range releases {
		if SameVersion(r.Version, ref.Version) && len(r.URLs) > 0 {
			return r, nil
		}
	}
	return release{}, fmt.Errorf("the repository has no version %s of %s", ref.Version, ref.Name)
}

// checkChart makes sure that the archive is the chart that was asked for.
func checkChart(data []byte, ref Ref) error {
	chart, err := loader.LoadArchive(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("loading the chart: %w", err)
	}
	if m := chart.Metadata; m.Name != ref.Name || !SameVersion(m.Version, ref.Version) {
		return fmt.Errorf("the chart there is %s %s", m.Name, m.Version)
	}
	return nil
}

func (n Network) get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	client := n.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server says %s", response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = fmt.Errorf("it is larger than %d bytes", maxSize)
	}
	return data, err
}
