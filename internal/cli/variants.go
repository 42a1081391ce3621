package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cni"
)

func newVariants(s streams) *cobra.Command {
	cmd := &cobra.Command{Use: "variants", Short: "the network plugins and configurations that can be measured"}
	cmd.AddCommand(&cobra.Command{
		Use:     "list",
		Short:   "list the catalog",
		Long:    "list shows every variant of the catalog.\n\nExit status: 0 shown, 2 usage.",
		Example: "  cnibench variants list",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			catalog, err := cni.Builtin()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "VARIANT\tPLUGIN\tVERSION\tDESCRIPTION")
			for _, name := range catalog.Names() {
				e, err := catalog.Entry(name, cni.Choice{Lab: true})
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, e.Plugin.Title, orDash(e.Version), e.Variant.Title)
			}
			return w.Flush()
		},
	}, newVariantsCheck(s), newVariantsInstall(s), newVariantsRemove(s))
	return cmd
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
