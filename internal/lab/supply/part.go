package supply

import (
	"slices"

	"github.com/cnibench/cnibench/internal/lab/supply/gobuild"
)

// Features that are parts of the supply: what some scenarios need besides a
// network plugin.
const (
	DNS = "dns" // CoreDNS
	K6  = "k6"  // the load generator for HTTP, in the image of load pods

	OpenVPN      = "openvpn"      // a tunnel to the control plane
	Konnectivity = "konnectivity" // another one

	FlannelUpgrade = "flannel-upgrade" // a later Flannel beside the base's
)

// part is something of the supply that is there only on demand. Its steps are
// named after it, so that nothing of one part is rebuilt for another.
type part struct {
	// name is what asks for it: a network plugin of the catalog, or a feature.
	name    string
	program gobuild.Program   // what its images are for; without a name: packages alone
	also    []gobuild.Program // more of them
	// images are composed with a part. One that bears the name of an image of
	// the base takes its place.
	images func() []imageRecipe
	sets   []packageSet // lower layers of its images, where it has its own
	bases  []string     // steps of the base that its images are made from
	chart  string       // the chart's directory in the program's result, if any
	// duration is what a first build took on two cores, in words.
	duration string
}

// parts are all that this supply can add to the base, in the order in which
// they are built.
func parts() []part {
	return []part{ciliumPart(), dnsPart(), k6Part(), openVPNPart(), konnectivityPart(), flannelUpgradePart()}
}

// Parts names what needs more than the base, which every lab has and with
// which Flannel runs: network plugins, and the features DNS, K6, OpenVPN,
// Konnectivity and FlannelUpgrade. Other names ask for nothing.
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

// selectParts keeps the parts among names, in their own order.
func selectParts(names []string) []part {
	return slices.DeleteFunc(parts(), func(p part) bool { return !slices.Contains(names, p.name) })
}

// Steps of a part by name.
func (p part) debianStep() string { return stepDebian + "-" + p.name }
func (p part) imagesStep() string { return stepImages + "-" + p.name }

// layersStep is where the lower layers of the part's images are: in a step of
// its own, or with those of the base.
func (p part) layersStep() string {
	if len(p.sets) > 0 {
		return p.debianStep()
	}
	return stepDebian
}

// programs are all that the part's images are for.
func (p part) programs() []gobuild.Program {
	if p.program.Name == "" {
		return p.also
	}
	return append([]gobuild.Program{p.program}, p.also...)
}

// inputs are the steps that the part's images are made from.
func (p part) inputs() []string {
	var steps []string
	if len(p.sets) > 0 {
		steps = append(steps, p.debianStep())
	}
	for _, program := range p.programs() {
		steps = append(steps, program.Name)
	}
	return append(steps, p.bases...)
}
