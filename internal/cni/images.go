package cni

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// imagesOf lists the images that objects' pods name. Only a user's own catalog
// may leave open which one is meant: what a tag like latest was cannot be told
// from a result afterwards.
func imagesOf(objects []*unstructured.Unstructured, loose bool) ([]string, error) {
	var all []string
	for _, o := range objects {
		var images []string
		collectImages(o.Object, &images)
		for _, image := range images {
			if !loose && !pinned(image) {
				return nil, fmt.Errorf("%s %s has the image %q, which has no fixed tag; set one in values, or by an edit", o.GetKind(), o.GetName(), image)
			}
		}
		all = append(all, images...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func collectImages(v any, into *[]string) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			collectImages(element, into)
		}
	case map[string]any:
		for key, value := range v {
			containers, ok := value.([]any)
			if !ok || key != "containers" && key != "initContainers" && key != "ephemeralContainers" {
				collectImages(value, into)
				continue
			}
			for _, c := range containers {
				if container, ok := c.(map[string]any); ok {
					if image, ok := container["image"].(string); ok {
						*into = append(*into, image)
					}
				}
			}
		}
	}
}

// pinned tells whether an image's name has a digest or a tag other than those
// that move.
func pinned(image string) bool {
	if strings.Contains(image, "@sha256:") {
		return true
	}
	last := image[strings.LastIndex(image, "/")+1:]
	_, tag, ok := strings.Cut(last, ":")
	return ok && !slices.Contains([]string{"", "latest", "master", "main"}, tag)
}
