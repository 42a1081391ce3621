package lab

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cnibench/cnibench/internal/lab/supply"
)

// Image stores differ in few images: by a part of the supply, or by a newer
// probe. A new one begins as a clone of the one that is most like it, whose
// files it shares, so that it takes the time and the space of what is new.

// storeImages are the digests of a store's images by name. They are in a file
// next to it.
type storeImages map[string]string

const storeListing = ".json"

func imagesOf(kit supply.Kit) storeImages {
	images := storeImages{}
	for _, image := range kit.Images {
		images[image.Name] = image.Digest
	}
	return images
}

// storeBase finds the store to begin with, and what it has; "" if there is
// none.
func storeBase(kit supply.Kit) (string, storeImages, error) {
	dir := filepath.Dir(imageStore(kit))
	listings, err := filepath.Glob(filepath.Join(dir, "*"+storeListing))
	if err != nil {
		return "", nil, fmt.Errorf("looking for image stores: %w", err)
	}
	stores := map[string]storeImages{}
	for _, file := range listings {
		store := file[:len(file)-len(storeListing)]
		var images storeImages
		data, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(data, &images) != nil {
			continue // it is no base, and nothing depends on it
		}
		if _, err := os.Stat(store); err == nil {
			stores[store] = images
		}
	}
	base := nearestStore(stores, imagesOf(kit))
	return base, stores[base], nil
}

// nearestStore is the store with the most images that are wanted as they are,
// among those all of whose images are wanted, in this version or another.
func nearestStore(stores map[string]storeImages, wanted storeImages) string {
	best, most := "", 0
	for _, store := range slices.Sorted(maps.Keys(stores)) {
		same, foreign := 0, false
		for name, digest := range stores[store] {
			other, named := wanted[name]
			foreign = foreign || !named
			if digest == other {
				same++
			}
		}
		if same > most && !foreign {
			best, most = store, same
		}
	}
	return best
}

// list writes down what a finished store has.
func (s storeImages) list(store string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("listing the image store: %w", err)
	}
	return os.WriteFile(store+storeListing, append(data, '\n'), 0o644)
}
