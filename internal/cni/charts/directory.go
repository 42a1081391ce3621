package charts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"sigs.k8s.io/yaml"
)

// Directory holds charts as NAME or NAME-VERSION, each a directory or with
// .tgz an archive, and manifests by the last part of their address.
type Directory string

// Chart finds a chart whose name and version are as asked for. A chart of the
// right name and another version is an error: nobody who gives a directory
// means the network's instead.
func (d Directory) Chart(_ context.Context, ref Ref) (string, error) {
	var others []string
	for _, name := range []string{ref.Name + "-" + ref.Version, ref.Name + "-" + plain(ref.Version), ref.Name + "-v" + plain(ref.Version), ref.Name} {
		for _, suffix := range []string{"", ".tgz"} {
			at := filepath.Join(string(d), name+suffix)
			if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return "", fmt.Errorf("looking for charts: %w", err)
			}
			chart, err := loader.Load(at)
			if err != nil {
				return "", fmt.Errorf("loading chart %s: %w", at, err)
			}
			if chart.Metadata.Name == ref.Name && SameVersion(chart.Metadata.Version, ref.Version) {
				return at, nil
			}
			others = append(others, fmt.Sprintf("%s is %s %s", at, chart.Metadata.Name, chart.Metadata.Version))
		}
	}
	if len(others) > 0 {
		return "", fmt.Errorf("no chart %s in %s: %s", ref, d, strings.Join(others, ", "))
	}
	return "", ErrNotHere
}

// Manifest reads a file that has the last part of an address as its name.
func (d Directory) Manifest(_ context.Context, url string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(string(d), path.Base(url)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotHere
	}
	return data, err
}

// Kit holds the directories of charts by any name; what is in them counts. It
// is what a lab's supply has.
type Kit map[string]string

// Chart finds a chart by the name and the version in its Chart.yaml.
func (k Kit) Chart(_ context.Context, ref Ref) (string, error) {
	for _, dir := range k {
		data, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
		if err != nil {
			return "", fmt.Errorf("reading a chart of the kit: %w", err)
		}
		var meta struct{ Name, Version string }
		if err := yaml.Unmarshal(data, &meta); err != nil {
			return "", fmt.Errorf("reading a chart of the kit, %s: %w", dir, err)
		}
		if meta.Name == ref.Name && (ref.Version == "" || SameVersion(meta.Version, ref.Version)) {
			return dir, nil
		}
	}
	return "", ErrNotHere
}

// Manifest has none.
func (k Kit) Manifest(context.Context, string) ([]byte, error) { return nil, ErrNotHere }

// SameVersion compares versions with or without a leading v.
func SameVersion(a, b string) bool { return plain(a) == plain(b) }

func plain(version string) string { return strings.TrimPrefix(version, "v") }
