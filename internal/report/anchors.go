package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
)

// anchors names the places of cells in the page's sections, such as
// "effects-tcp-pod-single", so that a link to one figure can be cited and
// outlives another order of cells.
type anchors map[string]string

// plainID is what can stand in an address and in an attribute as it is.
var plainID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// newAnchors calls a cell whose name cannot stand in an address by its number,
// with a sign before it that no other name has.
func newAnchors(cells []analysis.Cell) anchors {
	names, taken := anchors{}, map[string]bool{}
	for i, c := range cells {
		name := strings.ReplaceAll(c.ID, "=", "-") // which an address would encode
		if !plainID.MatchString(name) || taken[name] {
			name = fmt.Sprintf("~%d", i+1)
		}
		names[c.ID], taken[name] = name, true
	}
	return names
}

// of is the place of a cell in a section, and the section for no cell of the
// page.
func (n anchors) of(section, cell string) string {
	name, ok := n[cell]
	if !ok {
		return section
	}
	return section + "-" + name
}
