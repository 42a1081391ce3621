package claims

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/cnibench/cnibench/internal/campaign"
)

//go:embed published/*.yaml
var published embed.FS

// Published returns the embedded sources in the order of their names. known is
// that of [Parse].
func Published(known *campaign.Known) ([]Source, error) {
	names, err := fs.Glob(published, "published/*.yaml")
	if err != nil {
		return nil, err
	}
	var list []Source
	for _, name := range names {
		data, err := published.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := Parse(name, data, known)
		if err != nil {
			return nil, fmt.Errorf("reading an embedded file: %w", err)
		}
		list = append(list, s)
	}
	return list, nil
}
