package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
)

// quickName stands for the built-in campaign in messages.
const quickName = "quick.yaml (built in)"

// sources are where a command finds a campaign and what it names.
type sources struct {
	file      string
	preset    preset
	catalog   string // directory of the user's own plugins
	scenarios string // directory of the user's own scenarios
}

// flags adds those of a command that reads a campaign.
func (s *sources) flags(f *pflag.FlagSet) {
	f.StringVarP(&s.file, "file", "f", "", "campaign file (default: the quick campaign)")
	s.preset.flags(f)
	f.StringVar(&s.catalog, "catalog", "", catalogUsage)
	f.StringVar(&s.scenarios, "scenarios", "", scenariosUsage)
}

// design is a campaign with its plan, and what the plan's names mean.
type design struct {
	data      []byte // of the campaign file
	plan      plan.Plan
	catalog   cni.Catalog
	scenarios scenario.Set
}

// read reads the campaign file, a preset, or the quick campaign, and expands
// it.
func (s sources) read() (design, error) {
	var d design
	catalog, own, err := loadCatalog(s.catalog)
	if err != nil {
		return d, err
	}
	scenarios, err := loadScenarios(s.scenarios)
	if err != nil {
		return d, err
	}
	may, err := known(catalog, own, scenarios)
	if err != nil {
		return d, err
	}
	file, data := quickName, campaign.Quick()
	switch {
	case s.preset.given():
		if file, data, err = s.preset.read(s.file, may); err != nil {
			return d, err
		}
	case s.file != "":
		file = s.file
		if data, err = os.ReadFile(file); err != nil {
			return d, usage(err, "`cnibench init` writes a campaign file to start from")
		}
		may.ReadFile = besides(file)
	}
	c, err := campaign.Parse(file, data, may)
	if err != nil {
		return d, usage(err, "")
	}
	p, err := plan.Expand(c, may)
	if err != nil {
		return d, usage(err, "")
	}
	return design{data, p, catalog, scenarios}, nil
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
