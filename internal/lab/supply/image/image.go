package image

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Source provides an image under a name. Composing from layers is one way;
// pulling from a registry would be another.
type Source func() (v1.Image, error)

// Recipe says what a composed image is made of.
type Recipe struct {
	Layers     []string // uncompressed tar files, lowest first
	Entrypoint []string
	Path       string            // the PATH of its processes
	Labels     map[string]string // what is really inside
}

// Compose makes a Source of a recipe, for the machine's own architecture.
func Compose(r Recipe) Source {
	return func() (v1.Image, error) {
		image := empty.Image
		for _, file := range r.Layers {
			layer, err := newLayer(file)
			if err != nil {
				return nil, err
			}
			image, err = mutate.AppendLayers(image, layer)
			if err != nil {
				return nil, fmt.Errorf("composing image: %w", err)
			}
		}
		config, err := image.ConfigFile()
		if err != nil {
			return nil, fmt.Errorf("composing image: %w", err)
		}
		config = config.DeepCopy()
		config.Architecture, config.OS = runtime.GOARCH, "linux"
		config.Config = v1.Config{
			Entrypoint: r.Entrypoint,
			Env:        []string{"PATH=" + r.Path},
			Labels:     r.Labels,
		}
		image, err = mutate.ConfigFile(image, config)
		if err != nil {
			return nil, fmt.Errorf("composing image: %w", err)
		}
		return image, nil
	}
}

// Write writes a source's image as a docker-archive under ref, such as
// "registry.k8s.io/pause:3.10", and returns the image's ID: the digest of its
// configuration, which names the layers by content.
func Write(file, ref string, source Source) (string, error) {
	tag, err := name.NewTag(ref, name.StrictValidation)
	if err != nil {
		return "", fmt.Errorf("naming image: %w", err)
	}
	image, err := source()
	if err != nil {
		return "", fmt.Errorf("image %s: %w", ref, err)
	}
	id, err := image.ConfigName()
	if err != nil {
		return "", fmt.Errorf("image %s: %w", ref, err)
	}
	out, err := os.Create(file)
	if err != nil {
		return "", fmt.Errorf("image %s: %w", ref, err)
	}
	err = tarball.Write(tag, image, out)
	if err := errors.Join(err, out.Close()); err != nil {
		return "", fmt.Errorf("writing image %s: %w", ref, err)
	}
	return id.String(), nil
}
