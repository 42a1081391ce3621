package supply

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/image"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// Names of the images: upstream's own, as its charts and kubelets ask for
// them.
const (
	pauseImage      = "registry.k8s.io/pause:3.10"
	flannelImage    = "ghcr.io/flannel-io/flannel:v0.28.4"
	flannelCNIImage = "ghcr.io/flannel-io/flannel-cni-plugin:v1.9.1-flannel1"
	toolsImage      = "docker.io/cnibench/tools:lab"
)

// imageRecipe is one composed image: a Debian layer, if a package set has the
// image's name, and a layer with its program and other files on top.
type imageRecipe struct {
	Name       string
	Program    string // where the program goes in the image
	Step       string // which step has the program
	File       string // the program's path in the step's result
	Module     string // the Go module the program comes from
	Entrypoint []string
	Files      []imageFile `json:",omitempty"` // what is in the layer besides the program
	// Added is programs of other steps. They have a layer of their own below
	// the program's, which changes more often.
	Added []imageFile `json:",omitempty"`
}

// imageFile is a file or a directory of an image.
type imageFile struct {
	Path string
	Mode int64    // of files; directories are open to all
	From string   // the path in the result of the recipe's step, or
	Text string   // the content
	Skip []string `json:",omitempty"` // parts of a directory that stay out
	// Of what is added: the step that has it, and the Go module it comes from.
	Step   string `json:",omitempty"`
	Module string `json:",omitempty"`
}

const (
	imagePath = "/opt/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	ourModule = "github.com/cnibench/cnibench"
)

// imageRecipes are the images of every kit.
func (p *plan) imageRecipes() []imageRecipe {
	return []imageRecipe{
		{
			Name: pauseImage, Program: "pause", Step: stepPrograms, File: nodeProgram, Module: ourModule,
			Entrypoint: []string{"/pause"},
		},
		{
			Name: flannelImage, Program: "opt/bin/flanneld", Step: stepFlannel, File: p.flanneld.Output, Module: p.flanneld.Release,
			Entrypoint: []string{"/opt/bin/flanneld"},
		},
		{
			Name: flannelCNIImage, Program: "flannel", Step: stepFlannelCNI, File: p.flannelCNI.Output, Module: p.flannelCNI.Release,
			Entrypoint: []string{"/flannel"},
		},
		toolsRecipe(),
	}
}

// toolsRecipe is the image of load pods.
func toolsRecipe() imageRecipe {
	return imageRecipe{
		Name: toolsImage, Program: "usr/bin/cnibench-probe", Step: stepPrograms, File: probeProgram, Module: ourModule,
		Entrypoint: []string{"/usr/bin/cnibench-probe", "pause"},
	}
}

// buildImages writes image archives. Their Debian layers come from another
// step.
func (p *plan) buildImages(recipes []imageRecipe, debianStep, dir string, step *progress.Step) (manifest, error) {
	var m manifest
	digests := map[string]string{}
	for i, r := range recipes {
		step.Count("composed", i, len(recipes), "images", r.Name)
		img, err := p.buildImage(dir, debianStep, r)
		if err != nil {
			return manifest{}, err
		}
		digests[img.Name] = img.Digest
		m.Images = append(m.Images, img)
		m.Outputs = append(m.Outputs, img.Archive)
	}
	var err error
	m.Digest, err = hashJSON(digests)
	return m, err
}

func (p *plan) buildImage(dir, debianStep string, r imageRecipe) (Image, error) {
	version := p.done[r.Step].Versions[r.Step] // ours have none but their content
	contents := map[string]string{r.Module: version}
	if version == "" {
		contents[r.Module] = "sha256:" + p.sums[r.File]
	}
	recipe := image.Recipe{Entrypoint: r.Entrypoint, Path: imagePath}
	var packages []string
	for _, pkg := range p.done[debianStep].Packages {
		if slices.Contains(pkg.In, r.Name) {
			contents[pkg.Name] = pkg.Version
			packages = append(packages, pkg.Name+" "+pkg.Version)
		}
	}
	if len(packages) > 0 {
		recipe.Layers = append(recipe.Layers, filepath.Join(p.store.place(p.item(debianStep)), layerFile(r.Name)))
	}
	modules := []string{r.Module + " " + contents[r.Module]}
	for _, f := range r.Added {
		contents[f.Module] = p.done[f.Step].Versions[f.Step]
		modules = append(modules, f.Module+" "+contents[f.Module])
	}
	own, err := p.writeLayers(dir, r)
	if err != nil {
		return Image{}, fmt.Errorf("image %s: %w", r.Name, err)
	}
	recipe.Layers = append(recipe.Layers, own...)
	recipe.Labels = labels(r.Module, contents[r.Module], modules, packages)
	archive := fileName(r.Name) + ".tar"
	digest, err := image.Write(filepath.Join(dir, archive), r.Name, image.Compose(recipe))
	if err != nil {
		return Image{}, err
	}
	for _, layer := range own {
		err = errors.Join(err, os.Remove(layer))
	}
	return Image{Name: r.Name, Archive: archive, Digest: digest, Contents: contents}, err
}

// writeLayers writes the layers above Debian's, lowest first.
func (p *plan) writeLayers(dir string, r imageRecipe) ([]string, error) {
	var layers []string
	if len(r.Added) > 0 {
		t := tree.New()
		for _, f := range r.Added {
			if err := f.add(t, p.store.place(p.item(f.Step))); err != nil {
				return nil, err
			}
		}
		layers = append(layers, filepath.Join(dir, "added.tar"))
		if err := sealedTar(layers[0], t); err != nil {
			return nil, err
		}
	}
	layer := filepath.Join(dir, "program.tar")
	return append(layers, layer), programLayer(layer, r, p.store.place(p.item(r.Step)))
}

// labels say what is really inside an image that bears an upstream name
// (annotations of the OCI image specification, and our own).
func labels(module, version string, modules, packages []string) map[string]string {
	composed := "from Go module " + strings.Join(modules, ", ")
	if len(packages) > 0 {
		composed += " and Debian packages " + strings.Join(packages, ", ")
	}
	return map[string]string{
		"org.opencontainers.image.source":  "https://" + module,
		"org.opencontainers.image.version": version,
		"org.opencontainers.image.vendor":  "cnibench",
		"io.cnibench.composed":             composed,
	}
}

// programLayer writes a layer with the recipe's program and files, which lie
// in its step's result.
func programLayer(file string, r imageRecipe, result string) error {
	t := tree.New()
	if err := t.AddFile(r.Program, 0o755, filepath.Join(result, r.File)); err != nil {
		return err
	}
	for _, f := range r.Files {
		if err := f.add(t, result); err != nil {
			return err
		}
	}
	return sealedTar(file, t)
}

// sealedTar writes a layer's finished tree.
func sealedTar(file string, t *tree.Tree) error {
	if err := t.Seal(false); err != nil {
		return err
	}
	return writeTar(file, t)
}

// add puts the file, or what the directory holds, into a tree.
func (f imageFile) add(t *tree.Tree, result string) error {
	if f.From == "" {
		return t.AddData(f.Path, f.Mode, f.Text)
	}
	source := filepath.Join(result, f.From)
	return filepath.WalkDir(source, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		switch {
		case slices.Contains(f.Skip, inside):
			return fs.SkipDir
		case d.IsDir():
			return t.AddDir(path.Join(f.Path, inside), 0o755)
		case inside == ".": // Rel of a single file
			return t.AddFile(f.Path, f.Mode, name)
		default:
			return t.AddFile(path.Join(f.Path, inside), f.Mode, name)
		}
	})
}

// writeTar writes a tree to a file, and to more writers at once.
func writeTar(file string, t *tree.Tree, also ...io.Writer) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = t.WriteTar(io.MultiWriter(append(also, f)...))
	return errors.Join(err, f.Close())
}

// fileName makes a file name of an image name.
func fileName(image string) string {
	return strings.NewReplacer("/", "_", ":", "_").Replace(image)
}

// imageInputs are the keys of what images are made from.
func (p *plan) imageInputs(steps ...string) []string {
	var keys []string
	for _, step := range steps {
		keys = append(keys, p.item(step).String())
	}
	return keys
}
