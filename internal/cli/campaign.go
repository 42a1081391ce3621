package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/profile"
	"github.com/cnibench/cnibench/internal/scenario"
)

// What stands for campaigns that are no files of the user's in messages.
const (
	quickName       = "quick.yaml (built in)"
	calibrationName = "calibrate.yaml (built in)"
	twinsName       = "the A/A campaign"
)

// sources are where a command finds a campaign and what it names.
type sources struct {
	file      string
	preset    preset
	profile   string // name or file of one whose weights are measured
	catalog   string // directory of the user's own plugins
	scenarios string // directory of the user's own scenarios
	// twins makes an A/A campaign of what is read; nil: it stays as it is.
	twins *campaign.Twins
}

// flags adds those of a command that reads a campaign.
func (s *sources) flags(f *pflag.FlagSet) {
	f.StringVarP(&s.file, "file", "f", "", "campaign file (default: the quick campaign)")
	s.preset.flags(f)
	f.StringVar(&s.profile, "profile", "", "measure what the profile `NAME|FILE` weighs; with -f on that file's cluster and variants")
	f.StringVar(&s.catalog, "catalog", "", catalogUsage)
	f.StringVar(&s.scenarios, "scenarios", "", scenariosUsage)
}

// design is a campaign with its plan, and what the plan's names mean.
type design struct {
	data      []byte // of the campaign file
	plan      plan.Plan
	catalog   cni.Catalog
	scenarios scenario.Set
	profile   *profile.Profile // whose weights it measures; nil: of none
}

// read reads the campaign file, a preset, or the built-in campaign, and expands
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
	if s.twins != nil {
		file, data = calibrationName, campaign.Calibration()
	}
	switch {
	case s.profile != "":
		if file, data, d.profile, err = s.fromProfile(may); err != nil {
			return d, err
		}
		if s.file != "" {
			may.ReadFile = besides(s.file)
		}
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
	if s.twins != nil {
		if data, err = campaign.Twin(file, data, *s.twins, may); err != nil {
			return d, usage(err, "")
		}
		file = twinsName
	}
	c, err := campaign.Parse(file, data, may)
	if err != nil {
		return d, usage(err, "")
	}
	p, err := plan.Expand(c, may)
	if err != nil {
		return d, usage(err, "")
	}
	d.data, d.plan, d.catalog, d.scenarios = data, p, catalog, scenarios
	return d, nil
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
