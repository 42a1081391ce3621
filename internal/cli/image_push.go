package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/lab/supply/image"
)

func newImagePush(s streams) *cobra.Command {
	var withK6 bool
	cmd := &cobra.Command{
		Use:   "push REFERENCE",
		Short: "copy the tools image to a registry",
		Long: `push composes the tools image and copies it to a registry, with the credentials
that ` + "`docker login`" + ` and its likes have stored. It prints the reference by digest,
which a campaign can use: tools: {image: "REFERENCE@sha256:..."}.

Exit status: 0 pushed, 1 it could not be composed or pushed, 2 usage,
130 interrupted.`,
		Example: "  cnibench image push registry.example.com/cnibench/tools:v1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			tools, err := toolsImage(cmd.Context(), s, withK6)
			if err != nil {
				return err
			}
			digest, err := image.Push(cmd.Context(), tools.Archive, args[0])
			if err != nil {
				return failed(err, "is the name right, and are you logged in? `cnibench image build` writes a file instead")
			}
			_, err = fmt.Fprintf(s.out, "%s@%s\n", withoutTag(args[0]), digest)
			return err
		},
	}
	cmd.Flags().BoolVar(&withK6, "k6", false, k6Usage)
	return cmd
}

// withoutTag cuts the tag off a reference; a colon before the last slash
// belongs to a port.
func withoutTag(ref string) string {
	slash := strings.LastIndex(ref, "/")
	if colon := strings.LastIndex(ref, ":"); colon > slash {
		return ref[:colon]
	}
	return ref
}
