package supply

import (
	"context"
	"path/filepath"
	"slices"
)

// stepTools is for who wants the image of load pods and no lab.
const stepTools = stepImages + "-tools"

// Tools composes the image of load pods in the cache at dir, as a kit with the
// named parts has it, and builds nothing else: neither Kubernetes nor a network
// plugin. Only K6 makes a difference.
func Tools(ctx context.Context, dir string, report func(Progress), parts ...string) (Image, error) {
	p, err := embeddedPlan(dir, parts...)
	if err != nil {
		return Image{}, err
	}
	if err := p.keepTools(); err != nil {
		return Image{}, err
	}
	if err := p.supply(ctx, report); err != nil {
		return Image{}, err
	}
	image := p.done[stepTools].Images[0]
	image.Archive = filepath.Join(p.store.place(p.item(stepTools)), image.Archive)
	return image, nil
}

// keepTools reduces the plan to the image of load pods and what it is made
// from.
func (p *plan) keepTools() error {
	recipe, from := toolsRecipe(), []string{stepDebian, stepPrograms}
	for _, part := range p.parts {
		for _, r := range part.images() {
			if r.Name == toolsImage {
				recipe, from = r, append(from, part.program.Name)
			}
		}
	}
	p.steps = slices.DeleteFunc(p.steps, func(s step) bool { return !slices.Contains(from, s.name) })
	recipes := []imageRecipe{recipe}
	return p.add(step{stepTools, "tools image", 1, p.imagesBuilder(recipes, stepDebian)}, recipes, p.imageInputs(from...))
}
