package cli

import (
	"os"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
)

// quickName stands for the built-in campaign in messages.
const quickName = "quick.yaml (built in)"

// readCampaign reads a campaign file, or the built-in quick campaign for "",
// and expands it.
func readCampaign(file string) ([]byte, plan.Plan, cni.Catalog, error) {
	catalog, err := cni.Builtin()
	if err != nil {
		return nil, plan.Plan{}, catalog, err
	}
	data := campaign.Quick()
	if file == "" {
		file = quickName
	} else if data, err = os.ReadFile(file); err != nil {
		return nil, plan.Plan{}, catalog, usage(err, "`cnibench init` writes a campaign file to start from")
	}
	c, err := campaign.Parse(file, data, known(catalog))
	if err != nil {
		return nil, plan.Plan{}, catalog, usage(err, "")
	}
	p, err := plan.Expand(c, known(catalog))
	if err != nil {
		return nil, plan.Plan{}, catalog, usage(err, "")
	}
	return data, p, catalog, nil
}
