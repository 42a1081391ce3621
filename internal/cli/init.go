package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/campaign"
)

func newInit(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "write a commented campaign file to start from",
		Long: `init writes a commented campaign file, campaign.yaml unless another name is
given. It never overwrites one.

Exit status: 0 written, 1 not written, 2 usage.`,
		Example: `  cnibench init
  cnibench plan -f campaign.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "campaign.yaml"
			if len(args) == 1 {
				name = args[0]
			}
			f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return failed(fmt.Errorf("%s exists already", name), "give another name: `cnibench init FILE`")
			}
			if err != nil {
				return err
			}
			_, err = f.Write(campaign.Starter())
			if err := errors.Join(err, f.Close()); err != nil {
				return fmt.Errorf("writing %s: %w", name, err)
			}
			s.tell("wrote %s; see what it would do with `cnibench plan -f %s`\n", name, name)
			return nil
		},
	}
}
