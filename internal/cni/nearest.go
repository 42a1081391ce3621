package cni

import (
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/document"
)

// didYouMean is the end of a message about an unknown name.
func didYouMean(word string, valid []string) string {
	if name, ok := document.Nearest(word, valid); ok {
		return "; did you mean " + name + "?"
	}
	if len(valid) == 0 || len(valid) > 40 {
		return ""
	}
	return "; there are " + strings.Join(slices.Sorted(slices.Values(valid)), ", ")
}
