package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit statuses. Scripts depend on them.
const (
	exitOK           = 0
	exitFailed       = 1
	exitUsage        = 2
	exitRegression   = 3
	exitInconclusive = 4
	exitUnfit        = 5
	exitInterrupted  = 130
)

// streams are where a command reads and writes: results on out, everything
// else on err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// tell says on err what a command did. If nobody can read it there is nobody
// to tell that either.
func (s streams) tell(format string, args ...any) { _, _ = fmt.Fprintf(s.err, format, args...) }

// Main runs cnibench with the arguments after the program's name and returns
// its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot(streams{stdin, stdout, stderr})
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	err = miscounted(cmd, err)
	if err != nil && ctx.Err() != nil {
		err = &exitError{status: exitInterrupted, err: errors.New("interrupted"), hint: hintOf(err)}
	}
	return complain(stderr, err)
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "cnibench",
		Short: "reproducible performance testing for Kubernetes network plugins",
		Long: `cnibench measures Kubernetes network plugins on your own machines and says,
with statistics, what is a real difference and what is noise.

Start with:

    cnibench run        compare two Flannel datapaths with the host network, in a
                        real Kubernetes that starts on this machine
    cnibench lab up     just the Kubernetes`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(withoutParser(err), "run `"+cmd.CommandPath()+" --help`")
	})
	root.AddCommand(
		newRun(s),
		newInit(s),
		newPlan(s),
		newCalibrate(s),
		newDoctor(s),
		newReport(s),
		newCompare(s),
		newRank(s),
		newCost(s),
		newClaims(s),
		newGate(s),
		newImport(s),
		newExport(s),
		newServe(s),
		newRecord(s),
		newLab(s),
		newVariants(s),
		newScenarios(s),
		newImage(s),
		newCleanup(s),
	)
	for _, c := range root.Commands() {
		if c.HasSubCommands() && c.RunE == nil {
			// Otherwise a misspelt subcommand is taken for an argument.
			c.Args, c.RunE = cobra.NoArgs, root.RunE
		}
	}
	return root
}

// exitError is an error with its exit status and what to do about it.
type exitError struct {
	status int
	err    error
	hint   string
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// quietExit passes on the exit status of a program that has spoken for itself.
type quietExit struct{ status int }

func (e *quietExit) Error() string { return fmt.Sprintf("exit status %d", e.status) }

func usage(err error, hint string) error { return &exitError{exitUsage, err, hint} }

func failed(err error, hint string) error { return &exitError{exitFailed, err, hint} }

// complain prints an error as users see it and returns the exit status.
func complain(w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	var quiet *quietExit
	if errors.As(err, &quiet) {
		return quiet.status
	}
	_, _ = fmt.Fprintf(w, "cnibench: error: %v\n", err)
	if hint := hintOf(err); hint != "" {
		_, _ = fmt.Fprintf(w, "cnibench: hint: %s\n", hint)
	}
	var e *exitError
	switch {
	case errors.As(err, &e):
		return e.status
	case isUsage(err):
		return exitUsage
	case isUnfit(err):
		return exitUnfit
	}
	return exitFailed
}

// miscounted adds to cobra's error about the number of arguments what the
// command takes.
func miscounted(cmd *cobra.Command, err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), "accepts ") {
		return err
	}
	what := "its arguments"
	if strings.HasPrefix(cmd.Use, cmd.Name()+" DIR") {
		what = "a results directory"
	}
	return usage(err, "give "+what+": `"+strings.TrimSuffix(cmd.UseLine(), " [flags]")+"`")
}

// withoutParser leaves out of an error about a flag's value what Go's parser of
// numbers says, which speaks to programmers.
func withoutParser(err error) error {
	if text, _, found := strings.Cut(err.Error(), ": strconv."); found {
		return errors.New(text)
	}
	return err
}

// isUsage recognizes the errors that cobra makes itself, which have no type.
func isUsage(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "accepts ", "requires ", "invalid argument"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}
