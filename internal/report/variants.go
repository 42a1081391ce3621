package report

import (
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
)

// comparing names the variants with their versions: "host, flannel-vxlan
// (Flannel v0.28.4)".
func comparing(a analysis.Analysis) string {
	var titles []string
	for _, v := range a.Variants {
		titles = append(titles, v.Title())
	}
	return strings.Join(titles, ", ")
}
