package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/lab"
)

func newLabDown(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "down NAME…",
		Short: "end labs and leave the machine as it was",
		Long: `down ends labs with everything in them. The last one puts the machine's
settings back.

Exit status: 0 gone, 1 a lab does not exist or could not be removed, 2 usage.`,
		Example: "  cnibench lab down a b",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			var errs []error
			for _, name := range names {
				err := lab.Down(name)
				if err == nil {
					s.tell("lab %s is gone\n", name)
				}
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
	}
}
