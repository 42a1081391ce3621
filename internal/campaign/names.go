package campaign

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cnibench/cnibench/internal/document"
)

// nameArms gives every arm its name: what the user says with as, or else what
// is written in the file, which may be an alias. Arms that are the same but
// for their versions have them in their names: cilium-kpr-1-15-19.
func nameArms(arms []arm) {
	versions := map[string]map[string]bool{} // by name
	for i := range arms {
		a := &arms[i]
		a.Name = a.written
		if !document.LabelSyntax.MatchString(a.Name) {
			a.Name = a.Entry
		}
		if a.as != "" {
			a.Name = a.as
			continue
		}
		if versions[a.Name] == nil {
			versions[a.Name] = map[string]bool{}
		}
		versions[a.Name][a.Version] = true
	}
	for i := range arms {
		a := &arms[i]
		if a.as == "" && len(versions[a.Name]) > 1 {
			a.Name = withVersion(a.Name, a.Version)
		}
	}
}

// notInLabels are runs of characters that a label may not have.
var notInLabels = regexp.MustCompile(`[^a-z0-9]+`)

// withVersion makes a name that is a label, since names become those of
// directories, labs and Kubernetes objects.
func withVersion(name, version string) string {
	suffix := strings.Trim(notInLabels.ReplaceAllString(strings.ToLower(version), "-"), "-")
	if suffix == "" {
		return name
	}
	return name + "-" + suffix
}

// distinctFrom reports an arm whose name an earlier one has, and one that is
// an earlier one under another name without saying so.
func (d *decoder) distinctFrom(a arm, earlier []arm) bool {
	hint := fmt.Sprintf("give it another name: {variant: %s, as: %s-twin}", a.Entry, a.Entry)
	for _, b := range earlier {
		if a.Name == b.Name {
			d.Report(a.node, fmt.Sprintf("the name %q is taken by the variant on line %d", a.Name, b.node.Line), hint)
			return false
		}
		same := a.Entry == b.Entry && a.Version == b.Version && a.plain() && b.plain()
		if same && a.as == "" && b.as == "" {
			d.Report(a.node, fmt.Sprintf("%s and %s on line %d are the same entry of the catalog, %s", a.Name, b.Name, b.node.Line, a.Entry),
				"remove one of the two, or say that it is a twin: {variant: "+a.Entry+", as: "+a.Entry+"-twin}")
			return false
		}
	}
	return true
}

// plain tells whether an arm is an entry of the catalog as it is.
func (a arm) plain() bool {
	return a.KubeProxy == "" && a.Values == nil && a.PodTemplate == nil && a.NamespaceLabels == nil
}

// defaultBase returns the name of the first variant that is the host baseline,
// else of the first variant.
func defaultBase(variants []Variant) string {
	for _, v := range variants {
		if v.Entry == "host" {
			return v.Name
		}
	}
	if len(variants) == 0 {
		return ""
	}
	return variants[0].Name
}
