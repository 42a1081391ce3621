package result

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
)

// Evidence reads a file of a trial's evidence. A trial without it gives
// fs.ErrNotExist.
func (d *Dir) Evidence(t Trial, name string) ([]byte, error) {
	data, err := d.read(path.Join(t.Raw, name))
	if err != nil {
		return nil, fmt.Errorf("reading evidence: %w", err)
	}
	return data, nil
}

// mostMetrics is what a file of metrics may hold. Ten minutes of samples are a
// hundredth of it; a file that was made to do so can hold a million times its
// own size.
const mostMetrics = 256 << 20

// Metrics reads a compressed OpenMetrics file of a trial's evidence, NAME.om.zst.
// Given names of families, it reads only those. A trial without the file gives
// fs.ErrNotExist.
func (d *Dir) Metrics(t Trial, name string, only ...string) ([]openmetrics.Family, error) {
	file := path.Join(t.Raw, name+".om.zst")
	f, err := d.open(file)
	if err != nil {
		return nil, fmt.Errorf("reading evidence: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", d.file(file), err)
	}
	defer z.Close()
	families, err := readBounded(z, mostMetrics, only...)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", d.file(file), err)
	}
	return families, nil
}

// readBounded reads metrics of less than so many bytes.
func readBounded(r io.Reader, most int64, only ...string) ([]openmetrics.Family, error) {
	limited := &io.LimitedReader{R: r, N: most}
	families, err := openmetrics.Read(limited, only...)
	if limited.N == 0 {
		return nil, fmt.Errorf("it holds %d bytes or more", most)
	}
	return families, err
}

// MetricsNames lists, sorted, the files of a trial's evidence that Metrics
// reads and that start with prefix.
func (d *Dir) MetricsNames(t Trial, prefix string) ([]string, error) {
	files, err := d.list(t.Raw)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing evidence: %w", err)
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".om.zst"); ok && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Commands returns commands.json of a trial's evidence, or where a trial had
// several loads the first by name, and nothing if there is none. What lies
// outside of the results directory is none of its evidence.
func (d *Dir) Commands(t Trial) ([]byte, error) {
	within := d.files
	if within == nil {
		root, err := os.OpenRoot(d.path)
		if err != nil {
			return nil, fmt.Errorf("reading evidence: %w", err)
		}
		defer func() { _ = root.Close() }() // only read from
		within = root.FS()
	}
	directory := RawPath(t.Key(), t.Attempt)
	files, err := fs.Glob(within, path.Join(directory, "*commands.json"))
	if err != nil || len(files) == 0 {
		return nil, nil // a name with the signs of a pattern has no evidence
	}
	data, err := fs.ReadFile(within, files[0])
	if err != nil {
		return nil, fmt.Errorf("reading evidence: %w", err)
	}
	return data, nil
}
