package result

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
)

// Metrics reads a compressed OpenMetrics file of a trial's evidence, NAME.om.zst.
// A trial without it gives fs.ErrNotExist.
func (d *Dir) Metrics(t Trial, name string) ([]openmetrics.Family, error) {
	file := filepath.Join(d.path, filepath.FromSlash(t.Raw), name+".om.zst")
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading evidence: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	defer z.Close()
	families, err := openmetrics.Read(z)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return families, nil
}

// MetricsNames lists the files of a trial's evidence that Metrics reads and
// that start with prefix.
func (d *Dir) MetricsNames(t Trial, prefix string) ([]string, error) {
	const suffix = ".om.zst"
	files, err := filepath.Glob(filepath.Join(d.path, filepath.FromSlash(t.Raw), prefix+"*"+suffix))
	if err != nil {
		return nil, errors.Join(errors.New("listing evidence"), err)
	}
	names := make([]string, len(files))
	for i, f := range files {
		base := filepath.Base(f)
		names[i] = base[:len(base)-len(suffix)]
	}
	return names, nil
}
