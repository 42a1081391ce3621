package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/probe/recording"
	"github.com/cnibench/cnibench/internal/record"
)

// Exit statuses of commands that could not be run, as shells have them.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// recordFlags are what the user says of a recording.
type recordFlags struct {
	every, before, after, wait time.Duration
	labels                     []string
	sync, out, format          string
	instance, startAt          string
	startOnly, quiet           bool
	finish                     string
}

func newRecord(s streams) *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record [flags] -- COMMAND [ARGUMENT]...",
		Short: "run a command and record what the machine does meanwhile",
		Long: `record runs a command and samples this machine before, while and after it runs:
CPU, memory, network, protocols. It writes a file of time series in OpenMetrics
and prints a summary on stderr; stdout is the command's own.

With --sync two machines begin together: one waits as server, the other comes as
client. Both begin their sampling at the same moment, and each its command
--before later, so that a client that needs its server gets a longer --before.
When the client's command has ended, the server's is asked to end (SIGINT).
Whoever reaches the server's port can start its command and end it, no more; on
a network of strangers, choose the address: --sync server=10.0.0.1:7411.

Exit status: the command's own, 128 more than the signal that ended it, 0 if it
was asked to end by the client; 126 it cannot be run; 127 it was not found;
1 it was not run, or the recording is not complete; 2 usage.`,
		Example: `  cnibench record -- iperf3 -c 10.0.0.2
  cnibench record --every 100ms --label cni=flannel --out results/ -- ./load.sh
  cnibench record --sync server -- iperf3 -s
  cnibench record --sync client=10.0.0.2 --before 6s -- iperf3 -c 10.0.0.2`,
		RunE: func(_ *cobra.Command, args []string) error {
			if f.finish != "" {
				return finishRecord(s, f.finish, args)
			}
			return startRecord(f, args)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the command is the command's
	flags.DurationVar(&f.every, "every", time.Second, "time between samples")
	flags.DurationVar(&f.before, "before", 5*time.Second, "how long to sample before the command")
	flags.DurationVar(&f.after, "after", 5*time.Second, "how long to sample after the command")
	flags.StringArrayVar(&f.labels, "label", nil, "label on every series, as KEY=VALUE; repeatable")
	flags.StringVar(&f.instance, "instance", "", "label instance (default: the host name; with --format statexec the command)")
	flags.StringVar(&f.out, "out", ".", "directory or file to write to; a file *.zst is compressed")
	flags.StringVar(&f.format, "format", string(record.OpenMetrics), "names of the metrics: openmetrics or statexec")
	flags.StringVar(&f.startAt, "start-at", "", "time to give the first sample, e.g. 2024-01-01T00:00:00Z, to lay recordings over each other")
	flags.StringVar(&f.sync, "sync", "", "begin together with another machine: server[=[ADDRESS]:PORT] or client=HOST[:PORT]")
	flags.DurationVar(&f.wait, "sync-timeout", 5*time.Minute, "how long to wait for the other machine")
	flags.BoolVar(&f.startOnly, "sync-start-only", false, "as server, leave the command running when the client's has ended")
	flags.BoolVar(&f.quiet, "quiet", false, "print no summary")
	flags.StringVar(&f.finish, "finish", "", "record nothing: export the file of a recording that was killed or could not be exported")
	return cmd
}

// startRecord becomes the recorder. It returns only if that fails.
func startRecord(f recordFlags, args []string) error {
	if len(args) == 0 {
		return usage(errors.New("there is no command to record"), "put it at the end: cnibench record -- COMMAND")
	}
	export, err := f.export()
	if err != nil {
		return err
	}
	plan, err := f.plan(args)
	if err != nil {
		return err
	}
	if id := export.Labels["id"]; id != "" {
		plan.ID, plan.MadeUp = id, false
		delete(export.Labels, "id") // both ends agree on it
	}
	recorder, err := supply.ProbeProgram()
	if err != nil {
		return err
	}
	file, err := record.Prepare(plan, export)
	if err != nil {
		return failed(err, "choose where to write with --out")
	}
	return failed(errors.Join(record.Become(recorder, file), os.Remove(file)), "")
}

func (f recordFlags) export() (record.Export, error) {
	e := record.Export{Format: record.Format(f.format), Instance: f.instance, Quiet: f.quiet}
	if !slices.Contains(record.Formats(), e.Format) {
		return e, usage(fmt.Errorf("there is no format %q", f.format), "give --format openmetrics or --format statexec")
	}
	var err error
	if e.Labels, err = record.ParseLabels(f.labels); err != nil {
		return e, usage(err, "give --label KEY=VALUE once per key, of letters, digits and underscores, that the export does not have itself; --instance sets that one")
	}
	if f.startAt != "" {
		if e.StartAt, err = time.Parse(time.RFC3339, f.startAt); err != nil {
			return e, usage(fmt.Errorf("%q is no time", f.startAt), "write it like 2024-01-01T00:00:00Z")
		}
	}
	if e.Out, e.File, err = record.Destination(f.out); err != nil {
		return e, failed(fmt.Errorf("--out: %w", err), "name a directory, or a file that does not exist yet in one that does")
	}
	return e, nil
}

func (f recordFlags) plan(args []string) (recording.Plan, error) {
	plan := recording.Plan{
		Version: recording.Version, Argv: args, Every: f.every, Before: f.before, After: f.after,
		Sources: record.Format(f.format).Sources(),
		ID:      record.MakeID(time.Now(), rand.Uint32()), MadeUp: true,
	}
	var err error
	if plan.Path, err = findCommand(args[0]); err != nil {
		return plan, err
	}
	if f.startOnly && !strings.HasPrefix(f.sync, recording.RoleServer) {
		return plan, usage(errors.New("--sync-start-only is for a server"), "give it with --sync server, or leave it out")
	}
	if f.sync != "" {
		if plan.Sync, err = record.ParseSync(f.sync); err != nil {
			return plan, usage(fmt.Errorf("--sync: %w", err), "give --sync server, --sync server=ADDRESS:PORT or --sync client=HOST[:PORT]")
		}
		plan.Sync.Wait, plan.Sync.StartOnly = f.wait, f.startOnly
	}
	if err := plan.Validate(); err != nil {
		return plan, usage(err, "see `cnibench record --help`")
	}
	self, err := os.Executable()
	if err != nil {
		return plan, err
	}
	plan.Finish = recording.Program{Path: self, Argv: []string{os.Args[0], "record"}}
	return plan, nil
}

// findCommand finds a program as a shell does.
func findCommand(name string) (string, error) {
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return filepath.Abs(path)
	case isDirectory(name):
		return "", &exitError{exitNotExecutable, fmt.Errorf("%s cannot be run: it is a directory", name), "name the program in it"}
	case errors.Is(err, fs.ErrPermission):
		return "", &exitError{exitNotExecutable, fmt.Errorf("%s cannot be run: permission denied", name), "make it executable with chmod +x"}
	case errors.Is(err, exec.ErrDot):
		return "", &exitError{exitNotExecutable, err, "write ./" + name}
	}
	return "", &exitError{exitNotFound, fmt.Errorf("%s was not found", name), "install it, or give its path; a shell's own words need `sh -c '…'`"}
}

// isDirectory is of paths only: a bare name is looked for in $PATH.
func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return strings.ContainsRune(name, filepath.Separator) && err == nil && info.IsDir()
}

// finishRecord exports what was recorded, and exits as the command did. Its
// arguments are the recorder's: that status, and why entries were lost.
func finishRecord(s streams, file string, args []string) error {
	status, lost := 0, ""
	if len(args) == 2 {
		lost = args[1]
		var err error
		if status, err = strconv.Atoi(args[0]); err != nil {
			return usage(err, "run `cnibench record --finish FILE`")
		}
	}
	outcome, err := record.Finish(file, s.err)
	for _, note := range outcome.Notes {
		s.tell("cnibench: note: %s\n", note)
	}
	if outcome.File != "" && outcome.Failure == nil {
		s.tell("cnibench: note: %d samples in %s\n", outcome.Samples, outcome.File)
	}
	if lost != "" {
		err = errors.Join(fmt.Errorf("the recording is not complete: %s", lost), err)
	}
	switch f := outcome.Failure; {
	case err != nil:
		if len(args) == 2 {
			err = fmt.Errorf("%w (the command's exit status is %d)", err, status)
		}
		return &exitError{max(status, exitFailed), err, hintOf(err)}
	case f != nil:
		if outcome.File != "" {
			f.Text += "; what was sampled until then is in " + outcome.File
		}
		return &exitError{max(status, exitFailed), errors.New(f.Text), f.Hint}
	case status != 0:
		return &quietExit{status}
	}
	return nil
}
