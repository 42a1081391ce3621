package cli

import (
	"github.com/spf13/cobra"
)

func newVariants(s streams) *cobra.Command {
	cmd := &cobra.Command{Use: "variants", Short: "the network plugins and configurations that can be measured"}
	cmd.AddCommand(newVariantsList(s), newVariantsShow(s), newVariantsRender(s), newVariantsCheck(s), newVariantsInstall(s), newVariantsRemove(s))
	return cmd
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
