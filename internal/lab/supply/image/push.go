package image

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Push copies the one image of a docker-archive to a registry under ref and
// returns the digest that the registry knows it by, "sha256:…". The same
// archive has the same digest everywhere. Credentials are those of `docker
// login` and its likes.
func Push(ctx context.Context, archive, ref string) (string, error) {
	target, err := name.ParseReference(ref)
	if err != nil {
		return "", fmt.Errorf("naming image: %w", err)
	}
	image, err := tarball.ImageFromPath(archive, nil)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", archive, err)
	}
	if err := remote.Write(target, image, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return "", fmt.Errorf("pushing %s: %w", ref, err)
	}
	digest, err := image.Digest()
	if err != nil {
		return "", fmt.Errorf("pushing %s: %w", ref, err)
	}
	return digest.String(), nil
}
