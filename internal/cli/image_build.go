package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func newImageBuild(s streams) *cobra.Command {
	var file string
	var withK6 bool
	cmd := &cobra.Command{
		Use:   "build -o FILE",
		Short: "write the tools image to an archive that container runtimes load",
		Long: `build composes the tools image and writes it as a docker-archive, which docker,
podman, kind, k3s and containerd load. It prints the image's name and ID.

Exit status: 0 written, 1 it could not be composed or written, 2 usage,
130 interrupted.`,
		Example: `  cnibench image build -o tools.tar && kind load image-archive tools.tar
  cnibench image build -o tools.tar && ctr -n k8s.io images import tools.tar`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usage(errors.New("--output is missing"), "name the file to write: `cnibench image build -o tools.tar`")
			}
			image, err := toolsImage(cmd.Context(), s, withK6)
			if err != nil {
				return err
			}
			if err := copyFile(image.Archive, file); err != nil {
				return fmt.Errorf("writing the tools image: %w", err)
			}
			_, err = fmt.Fprintf(s.out, "%s %s\n", image.Name, image.Digest)
			return err
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write")
	cmd.Flags().BoolVar(&withK6, "k6", false, k6Usage)
	return cmd
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read from
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
