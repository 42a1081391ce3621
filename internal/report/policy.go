package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// ScriptSources are the scripts of the page as sources of a content security
// policy, such as 'sha256-…' with its quotes: what serves the page need not
// let any other run.
func ScriptSources() ([]string, error) {
	script, err := pageFiles.ReadFile("page/page.js")
	if err != nil {
		return nil, fmt.Errorf("reading the page's script: %w", err)
	}
	digest := sha256.Sum256(script)
	return []string{"'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"}, nil
}
