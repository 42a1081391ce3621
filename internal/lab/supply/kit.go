package supply

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// Kit is what a lab is made from. All paths are absolute and their content
// must not be changed: other labs use it too.
type Kit struct {
	Dir            string            // the cache
	Kubernetes     string            // the program that is etcd, kube-apiserver … kubectl by its links, which lie next to it
	KubernetesRoot string            // a tree with just usr/local/bin of the above, to stack on NodeRoot as an overlay's lower directory
	NodeRoot       string            // a node's root file system
	NodeProgram    string            // cnibench-node
	ProbeProgram   string            // cnibench-probe
	Charts         map[string]string // Helm chart directories by name: "kube-flannel", "cilium"
	Images         []Image
	Versions       map[string]string // of what is built from Go modules, and of containerd and runc: "kubernetes" is "v1.34.4"
	Packages       []Package         // sorted by name
	Key            string            // digest in hex of everything above but its place; names states prepared from the kit
}

// Image is a container image in a docker-archive file.
type Image struct {
	Name     string            // "registry.k8s.io/pause:3.10"
	Archive  string            // the file
	Digest   string            // the image's ID: "sha256:" and the digest of its configuration
	Contents map[string]string // versions by name of what is really inside
}

// Package is a Debian package of which files are in the kit.
type Package struct {
	Name         string
	Version      string
	Architecture string
	SHA256       string   // of the .deb, in hex
	In           []string // "node" and image names
}

// assemble makes the kit of finished steps.
func (p *plan) assemble(done map[string]manifest) (Kit, error) {
	at := func(step, name string) string {
		return filepath.Join(p.store.place(p.item(step)), name)
	}
	kit := Kit{
		Dir:            p.store.dir,
		Kubernetes:     at(stepKubernetes, p.kubernetes.Output),
		KubernetesRoot: at(stepKubernetes, "root"),
		NodeRoot:       at(stepDebian, "root"),
		NodeProgram:    at(stepPrograms, nodeProgram),
		ProbeProgram:   at(stepPrograms, probeProgram),
		Charts:         map[string]string{},
		Versions:       map[string]string{},
		Packages:       done[stepDebian].Packages,
	}
	for _, c := range p.flanneld.Copies {
		kit.Charts[filepath.Base(c.To)] = at(stepFlannel, c.To)
	}
	for _, name := range slices.Sorted(maps.Keys(done)) {
		maps.Copy(kit.Versions, done[name].Versions)
	}
	steps := []string{stepImages}
	for _, part := range p.parts {
		if part.chart != "" {
			kit.Charts[filepath.Base(part.chart)] = at(part.program.Name, part.chart)
		}
		kit.Packages = append(kit.Packages, done[part.debianStep()].Packages...)
		steps = append(steps, part.imagesStep())
	}
	kit.Packages = mergePackages(kit.Packages)
	for _, step := range steps {
		for _, image := range done[step].Images {
			image.Archive = at(step, image.Archive)
			kit.put(image)
		}
	}
	digest, err := hashJSON(done)
	if err != nil {
		return Kit{}, fmt.Errorf("naming the kit: %w", err)
	}
	kit.Key = digest
	return kit, nil
}

// put adds an image, in the place of one that bears its name.
func (k *Kit) put(image Image) {
	i := slices.IndexFunc(k.Images, func(old Image) bool { return old.Name == image.Name })
	if i < 0 {
		k.Images = append(k.Images, image)
		return
	}
	k.Images[i] = image
}

// mergePackages makes one entry of several of the same package and version.
func mergePackages(packages []Package) []Package {
	slices.SortStableFunc(packages, func(a, b Package) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Version, b.Version))
	})
	var out []Package
	for _, p := range packages {
		if last := len(out) - 1; last >= 0 && out[last].Name == p.Name && out[last].Version == p.Version {
			out[last].In = append(slices.Clone(out[last].In), p.In...)
			continue
		}
		out = append(out, p)
	}
	return out
}

// Lacks returns those image references that the kit cannot serve: images that
// it does not have, and any reference by digest, because its images are
// composed and have digests of their own. References come back as given.
func (k Kit) Lacks(references []string) ([]string, error) {
	var names []string
	for _, image := range k.Images {
		names = append(names, image.Name)
	}
	return Lacks(names, references)
}

// Lacks is Kit.Lacks for the names of the images that there are.
func Lacks(images, references []string) ([]string, error) {
	have := map[string]bool{}
	for _, image := range images {
		ref, err := name.ParseReference(image)
		if err != nil {
			return nil, fmt.Errorf("reading the kit's image names: %w", err)
		}
		have[ref.Name()] = true
	}
	var lacking []string
	for _, r := range references {
		ref, err := name.ParseReference(r)
		if err != nil {
			return nil, fmt.Errorf("reading image reference %q: %w", r, err)
		}
		if !have[ref.Name()] {
			lacking = append(lacking, r)
		}
	}
	return lacking, nil
}

// hashJSON is the SHA-256 of a value's JSON form, in hex. Maps marshal sorted.
func hashJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
