package supply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/cnibench/cnibench/internal/lab/supply/gobuild"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// Steps by name; their results lie in directories of these names.
const (
	stepPrograms   = "programs"
	stepDebian     = "debian"
	stepFlannelCNI = "flannel-cni"
	stepFlannel    = "flannel"
	stepImages     = "images"
	stepKubernetes = "kubernetes"
)

// plan is everything that is to be supplied, in order: the quick steps first,
// so that a problem with the machine shows early.
type plan struct {
	store      store
	programs   fs.FS
	sums       map[string]string // SHA-256 of programs
	sets       []packageSet      // of the base
	parts      []part
	kubernetes gobuild.Program
	flanneld   gobuild.Program
	flannelCNI gobuild.Program
	items      map[string]item
	steps      []step
	toolchain  gobuild.Toolchain   // set by prepare
	done       map[string]manifest // finished steps
}

// step is one thing to supply.
type step struct {
	name  string
	title string
	// format is part of the key: raise it when the builder makes something else
	// of the same recipe.
	format int
	build  builder
}

func (p *plan) item(step string) item { return p.items[step] }

// newPlan computes all keys of the base and of the parts that are named; it
// builds nothing.
func newPlan(dir string, programs fs.FS, names ...string) (*plan, error) {
	dir, err := checkDir(dir)
	if err != nil {
		return nil, err
	}
	sums, err := programSums(programs)
	if err != nil {
		return nil, err
	}
	p := &plan{
		store: store{dir}, programs: programs, sums: sums, sets: packageSets(), parts: selectParts(names),
		kubernetes: gobuild.Kubernetes(), flanneld: gobuild.Flanneld(), flannelCNI: gobuild.FlannelCNI(),
		items: map[string]item{}, done: map[string]manifest{},
	}
	distribution, err := distribution()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(
		p.add(step{stepPrograms, "node programs", 1, p.buildPrograms}, sums),
		p.add(step{stepDebian, "node root file system from Debian packages", 2, p.debianBuilder(p.sets)}, p.sets, nodeDirs, nodeFiles, distribution),
		p.addProgram(p.flannelCNI),
		p.addProgram(p.flanneld),
	); err != nil {
		return nil, err
	}
	inputs := p.imageInputs(stepDebian, stepFlannel, stepFlannelCNI, stepPrograms)
	if err := errors.Join(
		p.add(step{stepImages, "container images", 1, p.imagesBuilder(p.imageRecipes(), stepDebian)}, p.imageRecipes(), inputs),
		p.addProgram(p.kubernetes),
	); err != nil {
		return nil, err
	}
	for _, part := range p.parts {
		if err := p.addPart(part, distribution); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// addPart appends what is built on demand.
func (p *plan) addPart(part part, distribution string) error {
	if len(part.sets) > 0 {
		title := fmt.Sprintf("image layers of %s from Debian packages", part.name)
		if err := p.add(step{part.debianStep(), title, 1, p.debianBuilder(part.sets)}, part.sets, distribution); err != nil {
			return err
		}
	}
	for _, program := range part.programs() {
		if err := p.addProgram(program); err != nil {
			return err
		}
	}
	recipes, inputs := part.images(), p.imageInputs(part.inputs()...)
	images := step{part.imagesStep(), "container images of " + part.name, 1, p.imagesBuilder(recipes, part.layersStep())}
	return p.add(images, recipes, inputs)
}

func (p *plan) debianBuilder(sets []packageSet) builder {
	return func(ctx context.Context, dir string, step *progress.Step) (manifest, error) {
		return p.buildDebian(ctx, sets, dir, step)
	}
}

func (p *plan) imagesBuilder(recipes []imageRecipe, debianStep string) builder {
	return func(_ context.Context, dir string, step *progress.Step) (manifest, error) {
		return p.buildImages(recipes, debianStep, dir, step)
	}
}

// add appends a step whose key follows from the recipe's parts, which must
// have a JSON form.
func (p *plan) add(s step, recipe ...any) error {
	key, err := hashJSON([]any{s.format, runtime.GOOS, runtime.GOARCH, s.name, recipe})
	if err != nil {
		return fmt.Errorf("naming %s: %w", s.title, err)
	}
	p.items[s.name] = item{s.name, key[:16]}
	p.steps = append(p.steps, s)
	return nil
}

// addProgram appends the build of a program; its recipe includes its module.
func (p *plan) addProgram(program gobuild.Program) error {
	title, err := program.Title()
	if err != nil {
		return err
	}
	files, err := program.Files()
	if err != nil {
		return err
	}
	return p.add(step{program.Name, title, 1, func(ctx context.Context, dir string, step *progress.Step) (manifest, error) {
		return p.buildProgram(ctx, program, dir, step)
	}}, program, files)
}

// find sorts the steps into finished ones, whose manifests it keeps, and
// missing ones.
func (p *plan) find() (missing []step, err error) {
	var problems []error
	for _, s := range p.steps {
		m, ok, err := p.store.find(p.item(s.name))
		if err != nil {
			problems = append(problems, err)
		} else if ok {
			p.done[s.name] = m
		} else {
			missing = append(missing, s)
		}
	}
	return missing, errors.Join(problems...)
}
