package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/scenario"
)

func newInit(s streams) *cobra.Command {
	var from preset
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "write a commented campaign file to start from",
		Long: `init writes a commented campaign file, campaign.yaml unless another name is
given. It never overwrites one. With --preset it is that protocol's.

Exit status: 0 written, 1 not written, 2 usage.`,
		Example: `  cnibench init
  cnibench plan -f campaign.yaml
  cnibench init --preset seed-001 mine.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "campaign.yaml"
			if len(args) == 1 {
				name = args[0]
			}
			data, err := starter(from)
			if err != nil {
				return err
			}
			f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return failed(fmt.Errorf("%s exists already", name), "give another name: `cnibench init FILE`")
			}
			if err != nil {
				return err
			}
			_, err = f.Write(data)
			if err := errors.Join(err, f.Close()); err != nil {
				return fmt.Errorf("writing %s: %w", name, err)
			}
			s.tell("wrote %s; see what it would do with `cnibench plan -f %s`\n", name, name)
			return nil
		},
	}
	from.flags(cmd.Flags())
	return cmd
}

// starter returns the campaign file to write.
func starter(from preset) ([]byte, error) {
	if !from.given() {
		return campaign.Starter(), nil
	}
	catalog, own, err := loadCatalog("")
	if err != nil {
		return nil, err
	}
	may, err := known(catalog, own, scenario.Set{})
	if err != nil {
		return nil, err
	}
	_, data, err := from.read("", may)
	return data, err
}
