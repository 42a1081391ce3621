package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/lab"
)

func newLabPause(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "pause NAME",
		Short:   "freeze a lab: it keeps its memory and uses no CPU",
		Long:    "pause freezes every process of a lab until it is resumed.\n\nExit status: 0 paused, 1 not paused, 2 usage.",
		Example: "  cnibench lab pause a",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := openLab(args[0])
			if err != nil {
				return err
			}
			if err := l.Pause(); err != nil {
				return err
			}
			s.tell("lab %s is paused\n", l.Name())
			return nil
		},
	}
}

// answerTimeout bounds the wait for a resumed lab.
const answerTimeout = time.Minute

func newLabResume(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "resume NAME",
		Short:   "let a paused lab go on",
		Long:    "resume lets a lab go on and returns when its API server and kubelets answer.\n\nExit status: 0 it answers, 1 it does not, 2 usage.",
		Example: "  cnibench lab resume a",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := openLab(args[0])
			if err != nil {
				return err
			}
			if err := l.Resume(); err != nil {
				return err
			}
			if err := awaitAnswers(cmd.Context(), l); err != nil {
				return err
			}
			s.tell("lab %s goes on\n", l.Name())
			return nil
		},
	}
}

func awaitAnswers(ctx context.Context, l *lab.Lab) error {
	c, err := cluster.FromLab(l)
	if err != nil {
		return err
	}
	return cluster.Until(ctx, answerTimeout, "the lab to answer", c.Answers)
}

// openLab finds a lab that is alive.
func openLab(name string) (*lab.Lab, error) {
	if _, err := lab.Recover(); err != nil {
		return nil, err
	}
	return lab.Open(name)
}
