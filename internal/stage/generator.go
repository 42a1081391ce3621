package stage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
)

// Generator is a program that runs at one end of a load.
type Generator struct {
	Program string   // its name
	Argv    []string // its command line
	Version []string // the command line that tells its version
}

// GeneratorServer is a server that runs until it is stopped.
type GeneratorServer struct {
	bench   *Bench
	session *Session
	where   string // for errors
}

// LoadGrace is the time that connecting and the exchange of results may take
// beyond the load.
const LoadGrace = 15 * time.Second

// ProgramNotFound begins what the look-up of a program says when there is none
// (os/exec.ErrNotFound, which the probe passes on).
const ProgramNotFound = "executable file not found"

// Serve starts a server in the pair's server pod and returns when it serves
// its ports, TCP and, where udp says so, UDP.
func (b *Bench) Serve(ctx context.Context, pair Pair, g Generator, timeout time.Duration, tcp, udp []int) (*GeneratorServer, error) {
	spec := probe.LoadSpec{
		First: []probe.Process{{Argv: g.Version}}, Processes: []probe.Process{{Argv: g.Argv}},
		Timeout: timeout, Listen: tcp, ListenUDP: udp, Resident: true,
	}
	if err := b.KeepJSON("server-command.json", map[string]any{"spec": spec, "pod": pair.Server}); err != nil {
		return nil, err
	}
	where := g.Program + " server in " + pair.Server.Name
	session, err := Open(ctx, where, ProbeInPod(b.Cluster, pair.Server), "load", spec)
	if err != nil {
		return nil, err
	}
	var ready probe.LoadReady
	if err := session.Read(probe.FrameReady, &ready); err != nil {
		session.Close()
		return nil, b.explainGenerator("server", g.Program, err)
	}
	return &GeneratorServer{b, session, where}, nil
}

// Close ends the server, whatever it would say.
func (s *GeneratorServer) Close() { s.session.Close() }

// Stop ends the server, keeps its report, and makes sure that it lived at
// least as long as its last client.
func (s *GeneratorServer) Stop(last probe.ProcessReport) (probe.LoadReport, error) {
	s.session.Close()
	var report probe.LoadReport
	if err := s.session.Read(probe.FrameReport, &report); err != nil {
		return report, err
	}
	if err := s.bench.KeepJSON("server.json", report); err != nil {
		return report, err
	}
	if len(report.Processes) != 1 {
		return report, fmt.Errorf("%s: %d processes were reported, not one", s.where, len(report.Processes))
	}
	if why := diedBefore(report.Processes[0], last.End); why != "" {
		return report, fmt.Errorf("%s: %s", s.where, why)
	}
	return report, nil
}

// Explain ends the server after its client failed, and adds what became of it
// where that belongs to the reason.
func (s *GeneratorServer) Explain(err error, last probe.ProcessReport) error {
	if _, died := s.Stop(last); died != nil {
		return fmt.Errorf("%w; %w", err, died)
	}
	return err
}

// diedBefore says how a resident process ended by itself; empty for one that
// was killed, and not before a time.
func diedBefore(p probe.ProcessReport, end time.Time) string {
	if p.Signal == "SIGKILL" && !p.TimedOut && !p.End.Before(end) {
		return ""
	}
	how := Unfinished(p)
	if how == "" {
		how = p.Argv[0] + " ended by itself" + LastWords(p)
	}
	return how + ", before it was told to"
}

// RunGenerator runs a client in the pair's client pod to its end and keeps
// what it wrote under a name. Whether it did well is for its parser to say.
func (b *Bench) RunGenerator(ctx context.Context, pair Pair, name string, g Generator, timeout time.Duration) (probe.LoadReport, error) {
	spec := probe.LoadSpec{First: []probe.Process{{Argv: g.Version}}, Processes: []probe.Process{{Argv: g.Argv}}, Timeout: timeout}
	var report probe.LoadReport
	if err := b.KeepJSON(name+"-command.json", map[string]any{"spec": spec, "pod": pair.Client}); err != nil {
		return report, err
	}
	client, err := Open(ctx, g.Program+" in "+pair.Client.Name, ProbeInPod(b.Cluster, pair.Client), "load", spec)
	if err != nil {
		return report, err
	}
	defer client.Close()
	if err := client.Read(probe.FrameReport, &report); err != nil {
		return report, b.explainGenerator(name, g.Program, err)
	}
	if err := b.KeepJSON(name+".json", report); err != nil {
		return report, err
	}
	if len(report.Processes) != 1 || len(report.First) != 1 {
		return report, fmt.Errorf("%s in %s: %d processes were reported, not one", g.Program, pair.Client.Name, len(report.Processes))
	}
	return report, nil
}

// explainGenerator keeps the report of a program that did not come up, and
// tells an image without the program from a failure.
func (b *Bench) explainGenerator(name, program string, err error) error {
	var failed *LoadError
	if !errors.As(err, &failed) {
		return err
	}
	kept := b.KeepJSON(name+".json", failed.Report)
	if strings.Contains(failed.Report.Reason, ProgramNotFound) {
		return errors.Join(&UnsupportedError{"the load image has no " + program}, kept)
	}
	return errors.Join(err, kept)
}

// GeneratorVersions are facts about the programs at both ends. What tells no
// version is said so: it spoils no figure.
func GeneratorVersions(client, server probe.LoadReport) map[string]string {
	facts := map[string]string{}
	for name, report := range map[string]probe.LoadReport{"client version": client, "server version": server} {
		for _, p := range report.First {
			version, err := load.Version(p)
			if err != nil {
				version = "unknown: " + err.Error()
			}
			facts[name] = version
		}
	}
	return facts
}

// SameCongestionControl returns the setting of both ends' networks, and an
// [*InvalidError] where they differ.
func SameCongestionControl(client, server probe.Netns) (string, error) {
	const setting = "net.ipv4.tcp_congestion_control"
	c, s := client.Sysctls[setting], server.Sysctls[setting]
	if c != s {
		return "", &InvalidError{fmt.Sprintf("the client's network has the congestion control %q, the server's %q", c, s)}
	}
	return c, nil
}

// BusyMarks mark a client whose busiest thread was on a CPU all the time: the
// figures are the generator's then.
func BusyMarks(program string, p probe.ProcessReport) []result.Mark {
	if p.BusiestThread < load.GeneratorLimit {
		return nil
	}
	return LimitedMarks([]string{fmt.Sprintf("the busiest thread of %s at the client's end was on a CPU for %.0f %% of the time", program, 100*p.BusiestThread)})
}

// LimitedMarks say that the load generator, and not the network, was at its
// limit.
func LimitedMarks(limited []string) []result.Mark {
	if len(limited) == 0 {
		return nil
	}
	return []result.Mark{{Name: "generator-limited", Detail: strings.Join(limited, "; ")}}
}

// Unfinished says in the program's own words why it did not end well; empty
// for one that did.
func Unfinished(p probe.ProcessReport) string {
	var end string
	switch {
	case p.Error != "":
		end = "did not run: " + p.Error
	case p.TimedOut:
		end = "ran into its timeout"
	case p.Signal != "":
		end = "was ended by " + p.Signal
	case p.ExitCode != 0:
		end = fmt.Sprintf("exited with status %d", p.ExitCode)
	case p.Truncated:
		end = "wrote more than is kept"
	default:
		return ""
	}
	return p.Argv[0] + " " + end + LastWords(p)
}

// LastWords quotes the end of what a program wrote.
func LastWords(p probe.ProcessReport) string {
	text := strings.TrimSpace(p.Stderr)
	if text == "" {
		text = strings.TrimSpace(p.Stdout)
	}
	if text == "" {
		return ""
	}
	const longest = 300
	if runes := []rune(text); len(runes) > longest {
		text = "… " + string(runes[len(runes)-longest:])
	}
	return fmt.Sprintf(" (%q)", text)
}
