package cli

import (
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
)

// quickName stands for the built-in campaign in messages.
const quickName = "quick.yaml (built in)"

// readCampaign reads a campaign file, or the built-in quick campaign for "",
// and expands it. catalogDir holds the user's own catalog, or is empty.
func readCampaign(file, catalogDir string) ([]byte, plan.Plan, cni.Catalog, error) {
	catalog, own, err := loadCatalog(catalogDir)
	if err != nil {
		return nil, plan.Plan{}, catalog, err
	}
	may, err := known(catalog, own)
	if err != nil {
		return nil, plan.Plan{}, catalog, err
	}
	data := campaign.Quick()
	if file == "" {
		file = quickName
	} else {
		if data, err = os.ReadFile(file); err != nil {
			return nil, plan.Plan{}, catalog, usage(err, "`cnibench init` writes a campaign file to start from")
		}
		may.ReadFile = besides(file)
	}
	c, err := campaign.Parse(file, data, may)
	if err != nil {
		return nil, plan.Plan{}, catalog, usage(err, "")
	}
	p, err := plan.Expand(c, may)
	if err != nil {
		return nil, plan.Plan{}, catalog, usage(err, "")
	}
	return data, p, catalog, nil
}

// besides reads files by names that are relative to the directory of another.
func besides(file string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		return os.ReadFile(name)
	}
}
