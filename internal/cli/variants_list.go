package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cni"
)

type variantsListOptions struct {
	why, json bool
	catalog   string
}

func newVariantsList(s streams) *cobra.Command {
	var o variantsListOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the catalog",
		Long: `list shows every variant of the catalog with its newest version. VERIFIED says
how we know that an entry works: "installed" means that pods were proven to
reach each other on it, "rendered" that its chart was rendered, "no" that nobody
of us has tried. Whether a variant runs on your nodes says variants check.

Exit status: 0 shown, 2 usage.`,
		Example: "  cnibench variants list\n  cnibench variants list --why",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return o.list(s.out) },
	}
	cmd.Flags().BoolVar(&o.why, "why", false, "show how each plugin meets the five criteria for inclusion")
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	cmd.Flags().StringVar(&o.catalog, "catalog", "", catalogUsage)
	return cmd
}

// listed is a variant in the list.
type listed struct {
	Variant       string   `json:"variant"`
	Plugin        string   `json:"plugin"`
	Versions      []string `json:"versions"` // the default first
	Services      string   `json:"services"` // "kube-proxy", "plugin" or empty for either
	Encapsulation string   `json:"encapsulation"`
	Encrypted     bool     `json:"encrypted"`
	NetworkPolicy bool     `json:"networkPolicy"`
	Verified      string   `json:"verified"` // of the default version: "installed", "rendered" or "no"
	Aliases       []string `json:"aliases"`
	Description   string   `json:"description"`
	Excluded      string   `json:"excluded,omitempty"` // why it is not measured
}

func (o variantsListOptions) list(w io.Writer) error {
	catalog, _, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	if o.why {
		return listWhy(w, catalog, o.json)
	}
	var all []listed
	for _, name := range catalog.Names() {
		l, err := describe(catalog, name)
		if err != nil {
			return err
		}
		all = append(all, l)
	}
	if o.json {
		return writeIndented(w, all)
	}
	return listTable(w, all)
}

func describe(catalog cni.Catalog, name string) (listed, error) {
	e, err := catalog.Entry(name, cni.Choice{})
	if err != nil {
		return listed{}, err
	}
	l := listed{
		Variant: name, Plugin: e.Plugin.Title, Versions: catalog.Versions(name), Services: e.Services,
		Encapsulation: e.Encapsulation.Protocol, Encrypted: e.Encapsulation.Encrypted, NetworkPolicy: e.Enforces.NetworkPolicy,
		Verified: verified(e), Aliases: e.Variant.Aliases, Description: e.Variant.Title, Excluded: e.Plugin.Excluded,
	}
	if e.Encapsulation.CrossSubnetOnly {
		l.Encapsulation += "*"
	}
	return l, nil
}

// verified says how we know of an entry; of one that installs nothing there is
// nothing to know.
func verified(e cni.Entry) string {
	switch {
	case e.None():
		return "-"
	case e.Verified == "":
		return "no"
	}
	return e.Verified
}

func listTable(out io.Writer, all []listed) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "VARIANT\tVERSION\tSERVICES\tENCAPSULATION\tENCRYPTED\tPOLICY\tVERIFIED\tDESCRIPTION")
	crossSubnet, excluded := false, false
	for _, l := range all {
		if l.Excluded != "" {
			excluded = true
			continue
		}
		crossSubnet = crossSubnet || strings.HasSuffix(l.Encapsulation, "*")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Variant, newestOf(l.Versions), orDash(l.Services), orDash(l.Encapsulation),
			yesNo(l.Encrypted), yesNo(l.NetworkPolicy), l.Verified, l.Description)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if crossSubnet {
		if _, err := fmt.Fprintln(out, "\n* between subnets only: nodes of one subnet exchange bare packets"); err != nil {
			return err
		}
	}
	if !excluded {
		return nil
	}
	if _, err := fmt.Fprintln(out, "\nnot measured:"); err != nil {
		return err
	}
	for _, l := range all {
		if l.Excluded != "" {
			fmt.Fprintf(w, "  %s\t%s\n", l.Variant, l.Excluded)
		}
	}
	return w.Flush()
}

// newestOf shortens versions to the default and how many others there are.
func newestOf(versions []string) string {
	switch len(versions) {
	case 0:
		return "-"
	case 1:
		return versions[0]
	}
	return fmt.Sprintf("%s +%d", versions[0], len(versions)-1)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// listWhy shows the criteria of the benchmark published in 2024: maintained,
// independent of vendors, no meta-plugin, policies, simple to install.
func listWhy(out io.Writer, catalog cni.Catalog, asJSON bool) error {
	var all []cni.Criteria
	for _, p := range catalog.Plugins() {
		all = append(all, p.Criteria())
	}
	if asJSON {
		return writeIndented(out, all)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PLUGIN\tLAST RELEASE\tVENDOR-NEUTRAL\tSTANDALONE\tPOLICIES\tINSTALLED BY\tREMARK")
	for _, c := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Plugin, orDash(c.Released), orDash(c.Neutral), orDash(c.Standalone), yesNo(c.Policies), orDash(c.Install), orDash(c.Remark))
	}
	return w.Flush()
}

func writeIndented(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
