package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func newScenarios(s streams) *cobra.Command {
	cmd := &cobra.Command{Use: "scenarios", Short: "what can be measured"}
	cmd.AddCommand(newScenariosList(s), newScenariosShow(s))
	return cmd
}

func newScenariosList(s streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "list the scenarios with their main metric",
		Long:    "list shows every scenario.\n\nExit status: 0 shown, 2 usage.",
		Example: "  cnibench scenarios list",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := loadScenarios(dir)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "SCENARIO\tALIASES\tMAIN METRIC\tNEEDS\tDESCRIPTION")
			for _, sc := range all.All() {
				fmt.Fprintf(w, "%s\t%s\t%s (%s)\t%s\t%s\n", sc.Name, strings.Join(sc.Aliases, ", "),
					sc.Metrics[0].Name, sc.Metrics[0].Unit, sc.Requires.Words(), sc.Title)
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&dir, "scenarios", "", scenariosUsage)
	return cmd
}
