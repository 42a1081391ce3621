package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/lab"
)

func newCleanup(s streams) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "cleanup",
		Short: "remove what crashed runs and labs left on this machine",
		Long: `cleanup removes labs whose processes or whose run have died, and puts the
machine's settings back. With --lab it ends every lab, also those that run.

Exit status: 0 clean, 1 something could not be removed, 2 usage.`,
		Example: `  cnibench cleanup
  cnibench cleanup --lab`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			removed, err := lab.Recover()
			for _, name := range removed {
				s.tell("removed lab %s\n", name)
			}
			if err != nil || !all {
				return err
			}
			labs, err := lab.List()
			if err != nil {
				return err
			}
			var errs []error
			for _, l := range labs {
				err := lab.Down(l.Name())
				if err == nil {
					s.tell("removed lab %s\n", l.Name())
				}
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().BoolVar(&all, "lab", false, "end all labs, also those that run")
	return cmd
}
