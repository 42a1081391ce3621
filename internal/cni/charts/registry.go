package charts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

const (
	ociScheme = "oci://"
	// chartLayer is the media type of a chart's archive
	// (https://helm.sh/docs/topics/registries/#helm-chart-manifest).
	chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// fromRegistry pulls a chart from an OCI registry, where the tag is the
// version; + is not allowed in tags, and Helm writes _ for it. Credentials are
// those of the user's registry clients.
func (n Network) fromRegistry(ctx context.Context, ref Ref) (data []byte, from string, err error) {
	from = strings.TrimSuffix(ref.Repository, "/") + "/" + ref.Name + ":" + strings.ReplaceAll(ref.Version, "+", "_")
	reference, err := name.ParseReference(strings.TrimPrefix(from, ociScheme))
	if err != nil {
		return nil, from, err
	}
	image, err := remote.Image(reference, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return nil, from, err
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, from, err
	}
	for _, layer := range layers {
		kind, err := layer.MediaType()
		if err != nil {
			return nil, from, err
		}
		if kind != chartLayer {
			continue
		}
		content, err := layer.Compressed() // checks the digest
		if err != nil {
			return nil, from, err
		}
		data, err := io.ReadAll(io.LimitReader(content, maxSize))
		if err := errors.Join(err, content.Close()); err != nil {
			return nil, from, fmt.Errorf("reading the chart: %w", err)
		}
		return data, from, nil
	}
	return nil, from, errors.New("it is not a Helm chart")
}
