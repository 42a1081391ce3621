package cli

import (
	"errors"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/lab"
)

func newLabKubectl(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "kubectl NAME -- ARGS",
		Short:   "run the lab's own kubectl against it",
		Long:    "kubectl runs the kubectl of the lab's Kubernetes version.\n\nExit status: kubectl's own; 2 usage.",
		Example: "  cnibench lab kubectl a -- get pods -A",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := openLab(args[0])
			if err != nil {
				return err
			}
			if err := awake(l); err != nil {
				return err
			}
			return passThrough(s, l.Kubectl(cmd.Context(), args[1:]...))
		},
	}
}

// awake refuses a paused lab, which would never answer.
func awake(l *lab.Lab) error {
	if l.State() == lab.Paused {
		return failed(errors.New("lab "+l.Name()+" is paused"), "let it go on with `cnibench lab resume "+l.Name()+"`")
	}
	return nil
}

// passThrough runs a program on the user's terminal and exits as it does.
func passThrough(s streams, cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.err
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return &quietExit{exit.ExitCode()}
	}
	return err
}
