package charts

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Ref names a chart.
type Ref struct {
	Name       string
	Repository string // "https://…" (Helm), "oci://…", or empty: only at hand
	Version    string // with or without a leading v
}

// String is how messages name the chart.
func (r Ref) String() string {
	if r.Version == "" {
		return r.Name
	}
	return r.Name + " " + r.Version
}

// Source has charts and manifests.
type Source interface {
	// Chart gives the path of a chart's directory or archive. A source that does
	// not have it returns ErrNotHere.
	Chart(ctx context.Context, ref Ref) (string, error)
	// Manifest gives the bytes at an address, or ErrNotHere.
	Manifest(ctx context.Context, url string) ([]byte, error)
}

// ErrNotHere says that a source does not have what was asked for; another one
// may.
var ErrNotHere = errors.New("not here")

// UnavailableError says that a chart or manifest could not be had.
type UnavailableError struct {
	What string // "chart cilium 1.20.2"
	URL  string // where it was looked for; empty: nowhere else to look
	Err  error  // nil: no source has it
}

func (e *UnavailableError) Error() string {
	text := e.What + " cannot be had"
	if e.URL != "" {
		text += " from " + e.URL
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *UnavailableError) Hint() string {
	if name, ok := strings.CutPrefix(e.What, "chart "); ok {
		name = strings.ReplaceAll(name, " ", "-")
		return fmt.Sprintf("get it where there is a network, and give its directory: --charts DIR, with DIR/%s or DIR/%s.tgz", name, name)
	}
	return "get it where there is a network, and give its directory: --charts DIR, with the file in it"
}

// First asks sources in their order.
type First []Source

// Chart gives the chart of the first source that has it.
func (f First) Chart(ctx context.Context, ref Ref) (string, error) {
	for _, s := range f {
		path, err := s.Chart(ctx, ref)
		if !errors.Is(err, ErrNotHere) {
			return path, err
		}
	}
	return "", &UnavailableError{What: "chart " + ref.String(), URL: ref.Repository}
}

// Manifest gives the bytes of the first source that has them.
func (f First) Manifest(ctx context.Context, url string) ([]byte, error) {
	for _, s := range f {
		data, err := s.Manifest(ctx, url)
		if !errors.Is(err, ErrNotHere) {
			return data, err
		}
	}
	return nil, &UnavailableError{What: "the manifest", URL: url}
}
