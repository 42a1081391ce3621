//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"
)

// A network plugin that the catalog does not have is measured by writing one
// YAML file.
func TestOwnCatalog(t *testing.T) {
	leavesNothing(t)
	file := writeCampaign(t, `  variants: [host, bridge-static]
  scenarios: [{name: tcp-pod-single, duration: 2s, omit: 1s}]
  blocks: 1
`)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "-f", file, "--out", dir, "--catalog", "testdata/catalog")
	wantOK(t, dir, journal(t, dir))
}
