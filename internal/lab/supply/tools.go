package supply

import (
	"context"
	"path/filepath"
	"slices"
)

// stepTools is for who wants the image of load pods and no lab.
const stepTools = stepImages + "-tools"

// Tools composes the image of load pods in the cache at dir, as the kit has
// it, and builds nothing else: neither Kubernetes nor a network plugin.
func Tools(ctx context.Context, dir string, report func(Progress)) (Image, error) {
	p, err := embeddedPlan(dir)
	if err != nil {
		return Image{}, err
	}
	p.steps = slices.DeleteFunc(p.steps, func(s step) bool { return s.name != stepPrograms && s.name != stepDebian })
	recipes := slices.DeleteFunc(p.imageRecipes(), func(r imageRecipe) bool { return r.Name != toolsImage })
	inputs := p.imageInputs(stepDebian, stepPrograms)
	if err := p.add(step{stepTools, "tools image", 1, p.imagesBuilder(recipes, stepDebian)}, recipes, inputs); err != nil {
		return Image{}, err
	}
	if err := p.supply(ctx, report); err != nil {
		return Image{}, err
	}
	image := p.done[stepTools].Images[0]
	image.Archive = filepath.Join(p.store.place(p.item(stepTools)), image.Archive)
	return image, nil
}
