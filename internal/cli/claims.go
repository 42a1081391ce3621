package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/claims"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
)

var (
	claimFormats = map[string]func(io.Writer, claims.Checked) error{"text": claims.Text, "md": claims.Markdown, "json": claims.JSON}
	lintFormats  = map[string]func(io.Writer, claims.Linted) error{"text": claims.LintText, "md": claims.LintMarkdown, "json": claims.LintJSON}
)

// claimOptions choose which claims are read and how they are written.
type claimOptions struct {
	sources, files []string
	format         string
}

func newClaims(s streams) *cobra.Command {
	var o claimOptions
	cmd := &cobra.Command{
		Use:   "claims DIR",
		Short: "hold published figures against your results",
		Long: `claims holds published figures, changes and orders against the results in DIR.
It knows those of the five documents of docs/seeds.md; --file adds yours.

Each claim is confirmed, contradicted or undecided, by the 95 % intervals of
your results; not comparable, with what differs; or not measured, with what to
run. Whatever your results say, it is implausible if it breaks the line rate or
physics of its own hardware, inconsistent if it contradicts its own source, and
not testable if it is a forecast or an opinion: ` + "`cnibench claims lint`" + ` finds
those without results. docs/claims.md says how each is decided.

Exit status: 0 shown, 1 the directory cannot be read, 2 usage or a file of claims.`,
		Example: `  cnibench claims results/monday
  cnibench claims results/monday --source seed-003
  cnibench claims results/monday --file mine.yaml --source mine --format md`,
		Args: directoryOrCommand,
		RunE: func(_ *cobra.Command, args []string) error { return o.check(s, args[0]) },
	}
	o.flags(cmd)
	cmd.AddCommand(newClaimsLint(s), newClaimsList(s), newClaimsShow(s))
	return cmd
}

// directoryOrCommand wants one directory. A first word that is none, and nearly
// one of the command's own, is a misspelt command.
func directoryOrCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		_, err := os.Stat(args[0])
		if nearest, ok := document.Nearest(args[0], names); ok && errors.Is(err, fs.ErrNotExist) {
			return usage(fmt.Errorf("%q is neither a directory nor a command of `%s`", args[0], cmd.CommandPath()),
				fmt.Sprintf("did you mean `%s %s`?", cmd.CommandPath(), nearest))
		}
	}
	return cobra.ExactArgs(1)(cmd, args)
}

func (o *claimOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.sources, "source", nil, "only claims of this `NAME`; may be repeated")
	cmd.Flags().StringArrayVar(&o.files, "file", nil, "read the claims of `FILE`, too; may be repeated")
	cmd.Flags().StringVar(&o.format, "format", "text", "text, md or json")
}

func newClaimsLint(s streams) *cobra.Command {
	var o claimOptions
	cmd := &cobra.Command{
		Use:   "lint [FILE…]",
		Short: "find claims that refute themselves",
		Long: `lint looks at claims without any results: throughput above the line rate of the
stated network card, numbers that do not follow from the source's own ones, the
same quantity twice with different numbers, orders that its table does not have;
what cannot be tested; and what the source does not say. With files, only those
are reported; without, what cnibench knows.

Exit status: 0 shown, whatever was found, 2 usage or a file of claims.`,
		Example: `  cnibench claims lint
  cnibench claims lint mine.yaml
  cnibench claims lint --source seed-003 --format json`,
		RunE: func(_ *cobra.Command, args []string) error { return o.lint(s, args) },
	}
	cmd.Flags().StringArrayVar(&o.sources, "source", nil, "only claims of this `NAME`; may be repeated")
	cmd.Flags().StringVar(&o.format, "format", "text", "text, md or json")
	return cmd
}

func newClaimsList(s streams) *cobra.Command {
	var o claimOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the claims",
		Long: `list prints one line for each claim, with what measures it.

Exit status: 0 shown, 2 usage or a file of claims.`,
		Example: `  cnibench claims list
  cnibench claims list --source seed-001`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, chosen, _, err := o.read()
			if err != nil {
				return err
			}
			return claims.List(s.out, chosen)
		},
	}
	cmd.Flags().StringArrayVar(&o.sources, "source", nil, "only claims of this `NAME`; may be repeated")
	cmd.Flags().StringArrayVar(&o.files, "file", nil, "read the claims of `FILE`, too; may be repeated")
	return cmd
}

func newClaimsShow(s streams) *cobra.Command {
	var o claimOptions
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "show everything about a claim",
		Long: `show prints a claim: where it stands, what it says of which conditions, what
measures it, and what lint finds. ID is that of list; without its source it may
be several, and so may a row of a table without its variant.

Exit status: 0 shown, 2 usage or a file of claims.`,
		Example: `  cnibench claims show seed-003/cost-flannel
  cnibench claims show matrix-p99`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.show(s, args[0]) },
	}
	cmd.Flags().StringArrayVar(&o.files, "file", nil, "read the claims of `FILE`, too; may be repeated")
	return cmd
}

// read returns all sources, those that were asked for, and what they may name.
func (o claimOptions) read() (all, chosen []claims.Source, may campaign.Known, err error) {
	catalog, err := cni.Builtin()
	if err != nil {
		return nil, nil, may, err
	}
	if may, err = known(catalog, nil, scenario.Set{}); err != nil {
		return nil, nil, may, err
	}
	if all, err = claims.Published(&may); err != nil {
		return nil, nil, may, err
	}
	for _, file := range o.files {
		source, err := readClaims(file, &may)
		if err != nil {
			return nil, nil, may, err
		}
		if slices.ContainsFunc(all, func(s claims.Source) bool { return s.Name == source.Name }) {
			return nil, nil, may, usage(fmt.Errorf("%s: the name %s is that of another source", file, source.Name), "change metadata.name in "+file)
		}
		all = append(all, source)
	}
	chosen, err = o.choose(all)
	return all, chosen, may, err
}

func readClaims(file string, may *campaign.Known) (claims.Source, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return claims.Source{}, usage(err, "give a file of claims as docs/claims.md describes it")
	}
	source, err := claims.Parse(file, data, may)
	var problems document.Problems
	if errors.As(err, &problems) {
		return claims.Source{}, usage(fmt.Errorf("%s has errors:\n%w", file, err), "correct the file; docs/claims.md describes it")
	}
	return source, err
}

// choose keeps the sources that --source names, all without it.
func (o claimOptions) choose(all []claims.Source) ([]claims.Source, error) {
	if len(o.sources) == 0 {
		return all, nil
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	for _, name := range o.sources {
		if !slices.Contains(names, name) {
			return nil, usage(fmt.Errorf("--source: there is no source %q", name), document.DidYouMean(name, names, "there are "+strings.Join(names, ", ")))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(s claims.Source) bool { return !slices.Contains(o.sources, s.Name) }), nil
}

// heldAgainst are the published claims that come with cnibench, held against
// results as `cnibench claims` does.
func heldAgainst(a analysis.Analysis, env result.Environment) (*claims.Checked, error) {
	all, _, may, err := claimOptions{}.read()
	if err != nil {
		return nil, err
	}
	a.Cells = slices.Clone(a.Cells) // the report has the parameters as they were planned
	for i, c := range withDefaults(a.Plan).Cells {
		a.Cells[i].Parameters = c.Parameters
	}
	checked, err := claims.Check(all, claims.Results{Analysis: a, Environment: env, Known: &may})
	return &checked, err
}

func (o claimOptions) check(s streams, dir string) error {
	write, ok := claimFormats[o.format]
	if !ok {
		return usage(fmt.Errorf("unknown format %q", o.format), "use text, md or json")
	}
	all, chosen, may, err := o.read()
	if err != nil {
		return err
	}
	a, env, err := readResults(s, dir)
	if err != nil {
		return err
	}
	checked, err := claims.Check(all, claims.Results{Analysis: a, Environment: env, Known: &may})
	if err != nil {
		return usage(err, "correct the reference in your file; `cnibench claims list` shows the ids")
	}
	checked.Outcomes = slices.DeleteFunc(checked.Outcomes, func(c claims.Outcome) bool {
		return !slices.ContainsFunc(chosen, func(s claims.Source) bool { return s.Name == c.Source })
	})
	return write(s.out, checked)
}

func (o claimOptions) lint(s streams, files []string) error {
	write, ok := lintFormats[o.format]
	if !ok {
		return usage(fmt.Errorf("unknown format %q", o.format), "use text, md or json")
	}
	o.files = files
	all, chosen, _, err := o.read()
	if err != nil {
		return err
	}
	if len(files) > 0 && len(o.sources) == 0 {
		chosen = all[len(all)-len(files):]
	}
	l, err := claims.Lint(all)
	if err != nil {
		return usage(err, "correct the reference in your file; `cnibench claims list` shows the ids")
	}
	return write(s.out, l.Only(chosen))
}

func (o claimOptions) show(s streams, id string) error {
	all, _, _, err := o.read()
	if err != nil {
		return err
	}
	found := claims.Find(all, id)
	if len(found) == 0 {
		return usage(fmt.Errorf("there is no claim %q", id), "`cnibench claims list` shows them")
	}
	l, err := claims.Lint(all)
	if err != nil {
		return usage(err, "correct the reference in your file; `cnibench claims list` shows the ids")
	}
	for i, c := range found {
		if i > 0 {
			if _, err := fmt.Fprintln(s.out); err != nil {
				return fmt.Errorf("writing: %w", err)
			}
		}
		if err := claims.Show(s.out, c, l); err != nil {
			return err
		}
	}
	return nil
}
