package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cost"
	"github.com/cnibench/cnibench/internal/profile"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/report"
)

// fromProfile makes the campaign that measures a profile: its own, or that of a
// file with the profile's scenarios. file names it in messages.
func (s sources) fromProfile(may campaign.Known) (file string, data []byte, p *profile.Profile, err error) {
	if s.preset.name != "" {
		return "", nil, nil, usage(errors.New("--profile and --preset name two campaigns"), "leave one out")
	}
	if s.preset.scale < 1 {
		return "", nil, nil, usage(fmt.Errorf("--scale %g would not shorten", s.preset.scale), "give a number from 1 on, such as --scale 10")
	}
	read, err := readProfile(s.profile)
	if err != nil {
		return "", nil, nil, err
	}
	if len(read.Campaign) == 0 {
		return "", nil, nil, usage(fmt.Errorf("the profile %s does not say how it is measured", read.Name), notMeasurable(read))
	}
	file = "the profile " + read.Name
	if s.file == "" {
		data, err = read.CampaignFile()
	} else {
		file = s.file + " with " + file
		if data, err = os.ReadFile(s.file); err != nil {
			return "", nil, nil, usage(err, "`cnibench init` writes a campaign file to start from")
		}
		if data, err = read.Onto(data); err != nil {
			return "", nil, nil, usage(fmt.Errorf("%s: %w", s.file, err), "`cnibench plan -f "+s.file+"` says what is wrong with the file")
		}
	}
	if err != nil {
		return "", nil, nil, usage(err, "")
	}
	if s.preset.scale != 1 {
		data, err = campaign.Shorten(data, s.preset.scale, may)
	}
	return file, data, &read, err
}

// notMeasurable says what to do about a profile without a campaign.
func notMeasurable(p profile.Profile) string {
	var reasons []string
	for _, m := range p.Weights {
		if m.Lacking != "" {
			reasons = append(reasons, m.What+": "+m.Lacking)
		}
	}
	if len(reasons) > 0 {
		return strings.Join(reasons, "; ")
	}
	return "add campaign: with scenarios to the profile; `cnibench rank --show standard` shows how"
}

// profileLine says how much of a profile a plan measures; empty without one.
func profileLine(d design) string {
	if d.profile == nil {
		return ""
	}
	share, lacking := d.profile.Planned(d.plan)
	text := fmt.Sprintf("profile    %s: %s %% of what it weighs is measured", d.profile.Name, prose.Fixed(100*share, 0))
	if len(lacking) > 0 {
		text += ", not " + strings.Join(lacking, ", ")
	}
	return text + "\n"
}

// choices are the rankings of a campaign by every profile of cnibench's own.
func choices(a analysis.Analysis, costs *cost.Costs) (report.Rankings, error) {
	profiles, err := profile.All()
	if err != nil {
		return report.Rankings{}, err
	}
	return rankings(a, costs, "", profiles)
}

// choicesAt are those at prices.
func choicesAt(a analysis.Analysis, prices cost.Prices) (report.Rankings, error) {
	costs, err := costsOf(a, prices)
	if err != nil {
		return report.Rankings{}, err
	}
	return choices(a, costs)
}

// textReport adds to the report what to choose for which need, and what became
// of published claims.
func textReport(w io.Writer, m measured) error {
	a := m.analysis
	c, err := choicesAt(a, m.prices)
	if err != nil {
		return err
	}
	if err := report.Text(w, a); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	c.Brief = true
	if err := report.ChoiceText(w, c); err != nil {
		return err
	}
	checked, err := heldAgainst(m.analysis, m.environment)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return report.PublishedText(w, checked)
}

// markdownReport has it folded, as all but the verdicts.
func markdownReport(w io.Writer, m measured) error {
	c, err := choicesAt(m.analysis, m.prices)
	if err != nil {
		return err
	}
	checked, err := heldAgainst(m.analysis, m.environment)
	if err != nil {
		return err
	}
	return report.Markdown(w, report.Source{Analysis: m.analysis, Rankings: c.Rankings, Decision: c.Decision, Claims: checked})
}
