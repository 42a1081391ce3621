package gobuild

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
)

// modules holds one module per directory. go:embed leaves out directories with
// a go.mod of their own, hence the .txt.
//
//go:embed modules
var modules embed.FS

// Program is the recipe of one program: its JSON form names everything that
// decides the result, besides the go command.
type Program struct {
	Name     string     // for people and for cache paths: "kubernetes"
	Module   string     // its directory in modules/
	Release  string     // the required module whose version is the program's
	Package  string     // what to build: "." or an import path
	Output   string     // where the program goes, relative to the result
	More     []Target   `json:",omitempty"` // what is built along with it
	Tags     []string   `json:",omitempty"` // build tags
	Links    []string   // other names of the program, next to it
	Stamp    []Variable // linker -X settings
	Upstream *Upstream  // where main.go comes from when the module has none
	Copies   []Copy     // what else to take from required modules
	Space    Space      `json:"-"` // free space a first build needs; not part of the recipe
}

// Variable is a string variable to set at link time. In Value {version} is the
// release with its v, {number} without it, {major} and {minor} are its parts.
type Variable struct{ Name, Value string }

// Upstream takes a program's main.go from a required module and drops imports
// that cannot be built.
type Upstream struct {
	Module string
	File   string
	Drop   []string // import paths; each must be there, as a blank import
}

// Target is a further program of the same module, built in the same run of go.
// The last elements of import paths must differ within a recipe.
type Target struct{ Package, Output string }

// Copy takes a directory or a file of a required module into the result.
type Copy struct{ Module, From, To string }

// Space is the free space in bytes that a build with nothing in Go's caches
// needs, by where it is needed.
type Space struct {
	Modules int64 // GOMODCACHE
	Cache   int64 // GOCACHE
	Result  int64 // the supply's own cache, temporary files included
}

const gib = 1 << 30

// Kubernetes is etcd and all of Kubernetes as one program with many names.
func Kubernetes() Program {
	const component, client = "k8s.io/component-base/version.", "k8s.io/client-go/pkg/version."
	return Program{
		Name: "kubernetes", Module: "kubernetes", Release: "k8s.io/kubernetes", Package: ".",
		Output: "root/usr/local/bin/kubernetes",
		Links: []string{
			"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl",
		},
		Stamp: []Variable{
			{component + "gitVersion", "{version}"}, {component + "gitMajor", "{major}"}, {component + "gitMinor", "{minor}"},
			{component + "gitTreeState", "clean"}, {client + "gitVersion", "{version}"},
		},
		Space: Space{Modules: gib, Cache: 5 * gib / 2, Result: 3 * gib / 4},
	}
}

// Flanneld is flannel's daemon, with its Helm chart. The tencentvpc backend's
// SDK has no module to download, and the udp backend needs cgo.
func Flanneld() Program {
	const flannel = "github.com/flannel-io/flannel"
	return Program{
		Name: "flannel", Module: "flannel", Release: flannel, Package: ".", Output: "flanneld",
		Stamp: []Variable{{flannel + "/pkg/version.Version", "{version}"}},
		Upstream: &Upstream{
			Module: flannel, File: "main.go",
			Drop: []string{flannel + "/pkg/backend/tencentvpc", flannel + "/pkg/backend/udp"},
		},
		Copies: []Copy{{Module: flannel, From: "chart/kube-flannel", To: "chart/kube-flannel"}},
		Space:  Space{Modules: gib / 4, Cache: 3 * gib / 4, Result: gib / 4},
	}
}

// FlannelCNI is the CNI plugin that reads what flannel's daemon writes.
func FlannelCNI() Program {
	const plugins = "github.com/containernetworking/plugins"
	return Program{
		Name: "flannel-cni", Module: "flannel-cni", Release: plugins,
		Package: plugins + "/plugins/meta/flannel", Output: "flannel",
		Space: Space{Modules: gib / 16, Cache: gib / 8, Result: gib / 16},
	}
}

// targets are all programs of the recipe, the main one first.
func (p Program) targets() []Target {
	return append([]Target{{p.Package, p.Output}}, p.More...)
}

// Programs are the paths of what a build compiles, relative to the result.
func (p Program) Programs() []string {
	var out []string
	for _, t := range p.targets() {
		out = append(out, t.Output)
	}
	return out
}

// Outputs are the paths of everything that a build makes, links and copies
// included, relative to the result.
func (p Program) Outputs() []string {
	out := p.Programs()
	for _, link := range p.Links {
		out = append(out, path.Join(path.Dir(p.Output), link))
	}
	for _, c := range p.Copies {
		out = append(out, c.To)
	}
	return out
}

// Files gives the program's module: go.mod, go.sum and, unless it comes from
// upstream, main.go.
func (p Program) Files() (map[string][]byte, error) {
	dir := path.Join("modules", p.Module)
	entries, err := fs.ReadDir(modules, dir)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded module of %s: %w", p.Name, err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		data, err := modules.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the embedded module of %s: %w", p.Name, err)
		}
		files[strings.TrimSuffix(e.Name(), ".txt")] = data
	}
	return files, nil
}

// Pin is what the program's go.mod says.
type Pin struct {
	Version string // of the release module: "v1.34.4"
	Go      string // the least version of Go: "1.25.0"
}

// Pin reads the program's go.mod.
func (p Program) Pin() (Pin, error) {
	files, err := p.Files()
	if err != nil {
		return Pin{}, err
	}
	mod, err := modfile.Parse("go.mod", files["go.mod"], nil)
	if err != nil {
		return Pin{}, fmt.Errorf("reading the pinned module of %s: %w", p.Name, err)
	}
	if mod.Go == nil {
		return Pin{}, fmt.Errorf("the pinned module of %s has no go line", p.Name)
	}
	for _, r := range mod.Require {
		if r.Mod.Path == p.Release {
			return Pin{Version: r.Mod.Version, Go: mod.Go.Version}, nil
		}
	}
	return Pin{}, fmt.Errorf("the pinned module of %s does not require %s", p.Name, p.Release)
}

// Title names the program with its version.
func (p Program) Title() (string, error) {
	pin, err := p.Pin()
	if err != nil {
		return "", err
	}
	return p.Name + " " + pin.Version, nil
}

// flags are the arguments for go build and go list that decide what is
// compiled. -buildid= and -trimpath make the result independent of where it
// was built.
func (p Program) flags(version string) []string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	parts = append(parts, "", "")
	values := strings.NewReplacer("{version}", version, "{number}", strings.TrimPrefix(version, "v"), "{major}", parts[0], "{minor}", parts[1])
	ldflags := "-s -w -buildid="
	for _, v := range p.Stamp {
		setting := v.Name + "=" + values.Replace(v.Value)
		if strings.Contains(setting, " ") {
			setting = "'" + setting + "'"
		}
		ldflags += " -X " + setting
	}
	flags := []string{"-mod=readonly", "-trimpath", "-buildvcs=false"}
	if len(p.Tags) > 0 {
		flags = append(flags, "-tags", strings.Join(p.Tags, ","))
	}
	return append(flags, "-ldflags", ldflags)
}
