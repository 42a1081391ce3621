package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cnibench/cnibench/internal/campaign"
)

// preset is a campaign of cnibench's own, as it is or shortened.
type preset struct {
	name  string
	scale float64
}

func (p *preset) flags(f *pflag.FlagSet) {
	presets := campaign.Presets()
	f.StringVar(&p.name, "preset", "", "a published protocol instead of a file: "+presets[0]+" to "+presets[len(presets)-1])
	f.Float64Var(&p.scale, "scale", 1, "with --preset: divide durations, counts and blocks by `N`")
}

func (p preset) given() bool { return p.name != "" || p.scale != 1 }

// read returns the preset's campaign and its name for messages. file is the
// campaign file that was given besides, if any.
func (p preset) read(file string, may campaign.Known) (string, []byte, error) {
	switch {
	case p.name == "":
		return "", nil, usage(errors.New("--scale shortens presets"), "add --preset NAME, or write shorter durations into the campaign file")
	case file != "":
		return "", nil, usage(errors.New("--preset and --file name two campaigns"), "leave one out; `cnibench init --preset "+p.name+"` writes the preset to a file that can be changed")
	case p.scale < 1:
		return "", nil, usage(fmt.Errorf("--scale %g would not shorten", p.scale), "give a number from 1 on, such as --scale 10")
	}
	data, err := campaign.Preset(p.name)
	if err != nil {
		return "", nil, usage(err, "the presets are "+strings.Join(campaign.Presets(), ", "))
	}
	if p.scale != 1 {
		if data, err = campaign.Shorten(data, p.scale, may); err != nil {
			return "", nil, err
		}
	}
	return p.name + " (built in)", data, nil
}
