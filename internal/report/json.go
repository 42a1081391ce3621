package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/cnibench/cnibench/internal/analysis"
)

// JSON writes the whole analysis, indented, with a newline at the end.
func JSON(w io.Writer, a analysis.Analysis) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(a); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
