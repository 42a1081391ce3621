package gate

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the result as one indented document.
func JSON(w io.Writer, res Result) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(res); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
