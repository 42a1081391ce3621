package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/cost"
	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/profile"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
)

type rankOptions struct {
	profile, format, catalog, show string
	prices                         priceFlags
}

func newRank(s streams) *cobra.Command {
	var o rankOptions
	cmd := &cobra.Command{
		Use:   "rank DIR",
		Short: "say which variant to choose for which need",
		Long: `rank adds up what counts for a need, weighed, within the blocks of a campaign,
and says which variants are best at it, how sure that is, what was not measured,
and which features they lack. Variants that the noise could have ordered are a
group without a winner.

A need is a profile: one of cnibench's own, or a file of yours. Without --profile
all of them are tried, one line each, with a decision matrix, whose costs are at
the default prices or those of --prices. docs/profiles.md says how scores are
made.

Exit status: 0 shown, 1 the directory cannot be read, 2 usage, profile file or
prices.`,
		Example: `  cnibench rank results/monday
  cnibench rank results/monday --profile latency-sensitive
  cnibench rank --show low-resource > mine.yaml
  cnibench rank results/monday --profile mine.yaml --format md`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.show != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.profile, "profile", "", "rank by `NAME|FILE`: "+strings.Join(profile.Names(), ", ")+", or a file of yours")
	f.StringVar(&o.show, "show", "", "print the file of the profile `NAME`, to start from, and nothing else")
	f.StringVar(&o.format, "format", "text", "text, md or json")
	f.StringVar(&o.catalog, "catalog", "", catalogUsage)
	o.prices.add(cmd)
	return cmd
}

func (o rankOptions) run(s streams, args []string) error {
	if o.show != "" {
		data, err := profile.File(o.show)
		if err != nil {
			return usage(err, profilesHint(o.show))
		}
		_, err = s.out.Write(data)
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	prices, err := o.prices.read()
	if err != nil {
		return err
	}
	profiles, err := o.profiles()
	if err != nil {
		return err
	}
	d, err := result.Open(args[0])
	if err != nil {
		return failed(err, "give a directory that `cnibench run` wrote")
	}
	a, _, err := analyze(d)
	if err != nil {
		return err
	}
	if err := warnOfSlips(s, profiles, a); err != nil {
		return err
	}
	costs, err := costsOf(a, prices)
	if err != nil {
		return err
	}
	ranked, err := rankings(a, costs, o.catalog, profiles)
	if err != nil {
		return err
	}
	return o.write(s.out, ranked)
}

func (o rankOptions) check() error {
	if o.format != "text" && o.format != "md" && o.format != "json" {
		return usage(fmt.Errorf("--format: unknown format %q", o.format), "use text, md or json")
	}
	if o.prices.given() && o.profile != "" && o.format != "json" {
		return usage(errors.New("a single ranking has no costs"), "leave the prices out, or --profile: the decision matrix has costs")
	}
	return nil
}

// profiles are the one that was asked for, or all of cnibench's own.
func (o rankOptions) profiles() ([]profile.Profile, error) {
	if o.profile == "" {
		return profile.All()
	}
	p, err := readProfile(o.profile)
	if err != nil {
		return nil, err
	}
	return []profile.Profile{p}, nil
}

func (o rankOptions) write(w io.Writer, r report.Rankings) error {
	switch {
	case o.format == "json":
		return report.RankingsJSON(w, r)
	case o.profile != "" && o.format == "md":
		return report.RankingMarkdown(w, r.Rankings[0])
	case o.profile != "":
		return report.RankingText(w, r.Rankings[0])
	case o.format == "md":
		return report.ChoiceMarkdown(w, r)
	}
	return report.ChoiceText(w, r)
}

// rankings ranks a campaign by profiles, with what the catalog knows.
func rankings(a analysis.Analysis, costs *cost.Costs, catalogDir string, profiles []profile.Profile) (report.Rankings, error) {
	var r report.Rankings
	catalog, _, err := loadCatalog(catalogDir)
	if err != nil {
		return r, err
	}
	traits := traitsOf(catalog, a)
	r.Decision = profile.Decide(a, traits, decisionCosts(costs))
	for _, p := range profiles {
		ranked, err := profile.Rank(p, a, traits)
		if err != nil {
			return r, err
		}
		r.Rankings = append(r.Rankings, ranked)
	}
	return r, nil
}

// readProfile reads a profile of cnibench's own, or a file. What is written
// like a name of ours is one, unless there is a file of that name.
func readProfile(name string) (profile.Profile, error) {
	if data, err := profile.File(name); err == nil {
		return profile.Parse(name+" (built in)", data)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "./\\") {
		return profile.Profile{}, usage(fmt.Errorf("there is no profile %q", name), profilesHint(name))
	}
	if err != nil {
		return profile.Profile{}, usage(err, "`cnibench rank --show standard` prints a profile to start from")
	}
	p, err := profile.Parse(name, data)
	if err != nil {
		return p, usage(err, "")
	}
	p.File = name
	return p, nil
}

// profilesHint says what a name that is none may be.
func profilesHint(name string) string {
	return document.DidYouMean(name, profile.Names(), "the profiles are "+strings.Join(profile.Names(), ", ")+", or a file of yours")
}
