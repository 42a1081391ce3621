package supply

import (
	"slices"

	"github.com/cnibench/cnibench/internal/lab/supply/gobuild"
)

// part is something of the supply that is there only on demand. Its name is
// that of the network plugin in the catalog. Its steps are named after it, so
// that nothing of one part is rebuilt for another.
type part struct {
	name    string
	sets    []packageSet    // lower layers of its images
	program gobuild.Program // what the images are for
	images  func() []imageRecipe
	chart   string // the chart's directory in the program's result
	// duration is what a first build took on two cores, in words.
	duration string
}

// parts are all that this supply can add to the base.
func parts() []part { return []part{ciliumPart()} }

// Parts names the network plugins that need more than the base, which every
// lab has and with which Flannel runs. Other names ask for nothing.
func Parts() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// Duration tells, in words, how long it takes to supply a part for the first
// time, and how much space that takes; "" for what is no part.
func Duration(name string) string {
	for _, p := range parts() {
		if p.name == name {
			return p.duration
		}
	}
	return ""
}

// MissingOf names the steps that Ensure would have to build for one part,
// besides the base.
func MissingOf(dir, name string) (missing []string, err error) {
	with, err := Ready(dir, name)
	if err != nil {
		return nil, err
	}
	base, err := Ready(dir)
	return slices.DeleteFunc(with, func(title string) bool { return slices.Contains(base, title) }), err
}

// selectParts keeps the parts among the names of plugins, in their own order.
func selectParts(plugins []string) []part {
	return slices.DeleteFunc(parts(), func(p part) bool { return !slices.Contains(plugins, p.name) })
}

// Steps of a part by name.
func (p part) debianStep() string { return stepDebian + "-" + p.name }
func (p part) imagesStep() string { return stepImages + "-" + p.name }
