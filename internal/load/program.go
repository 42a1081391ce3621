package load

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// checkEnd reports why a program did not come to its own end, so that what it
// printed is no result. Its exit status is for the caller to judge: not every
// generator tells a failure by it.
func checkEnd(name string, p probe.ProcessReport) error {
	switch {
	case p.Error != "":
		return fmt.Errorf("%s did not run: %s", name, p.Error)
	case p.TimedOut:
		return fmt.Errorf("%s ran into its timeout (%s)", name, excerpt(p.Stdout+p.Stderr))
	case p.Signal != "":
		return fmt.Errorf("%s was ended by %s (%s)", name, p.Signal, excerpt(p.Stdout+p.Stderr))
	case p.Truncated:
		return fmt.Errorf("%s wrote more than is kept", name)
	}
	return nil
}

// Version returns the first line that a program printed when it was asked for
// its version, such as "qperf 0.4.11".
func Version(p probe.ProcessReport) (string, error) {
	if len(p.Argv) == 0 {
		return "", errors.New("a process without a command line has no version")
	}
	if err := checkEnd(p.Argv[0], p); err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(p.Stdout), "\n")
	if p.ExitCode != 0 || line == "" {
		return "", fmt.Errorf("%s exited with status %d and told no version (%s)", p.Argv[0], p.ExitCode, excerpt(p.Stdout+p.Stderr))
	}
	return line, nil
}

// hostArgument refuses what a generator would not take for a host.
func hostArgument(name, host string) error {
	if host == "" || host[0] == '-' {
		return fmt.Errorf("%s cannot connect to host %q", name, host)
	}
	return nil
}

// portArgument refuses what is no port.
func portArgument(name string, port int) error {
	if port < 1 || port > 65535 {
		return fmt.Errorf("%s cannot use port %d", name, port)
	}
	return nil
}

// secondsArgument writes a duration for a generator that takes whole seconds.
func secondsArgument(name string, d time.Duration) (string, error) {
	if d < time.Second || d%time.Second != 0 {
		return "", fmt.Errorf("%s measures for whole seconds from 1 on, not for %v", name, d)
	}
	return fmt.Sprint(int64(d / time.Second)), nil
}

// interior is the span that certainly lies inside a measurement that took
// place somewhere in a process's life: not before lead had passed, not after
// tail before the end. Generators do not stamp their measurements; this is
// what cause and effect on one machine's clock tell.
func interior(p probe.ProcessReport, lead, measured, tail time.Duration) (sample.Window, error) {
	life := sample.Window{Start: p.Start.Add(lead), End: p.End.Add(-tail)}
	if life.Duration() < measured {
		return sample.Window{}, fmt.Errorf("%v were measured, but the process has at most %v for it: a clock was set", measured, life.Duration())
	}
	w := sample.Window{Start: life.End.Add(-measured), End: life.Start.Add(measured)}
	if !w.Start.Before(w.End) {
		return sample.Window{}, fmt.Errorf("%v were measured somewhere in %v, too little to know when", measured, life.Duration())
	}
	return w, nil
}
