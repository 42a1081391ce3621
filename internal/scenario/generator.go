package scenario

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

// generatorEnd is a program that runs at one end of a load.
type generatorEnd struct {
	program string // its name
	argv    []string
	version []string // the command line that tells its version
}

// generatorServer is a server that runs until it is stopped.
type generatorServer struct {
	bench   *Bench
	session *session
	where   string // for errors
}

// notFound begins what the look-up of a program says when there is none
// (os/exec.ErrNotFound, which the probe passes on).
const notFound = "executable file not found"

// serve starts a server in the pair's server pod and returns when it serves
// its ports, TCP and, where udp says so, UDP.
func (b *Bench) serve(ctx context.Context, pair Pair, g generatorEnd, timeout time.Duration, tcp, udp []int) (*generatorServer, error) {
	spec := probe.LoadSpec{
		First: []probe.Process{{Argv: g.version}}, Processes: []probe.Process{{Argv: g.argv}},
		Timeout: timeout, Listen: tcp, ListenUDP: udp, Resident: true,
	}
	if err := b.keepJSON("server-command.json", map[string]any{"spec": spec, "pod": pair.Server}); err != nil {
		return nil, err
	}
	where := g.program + " server in " + pair.Server.Name
	session, err := open(ctx, where, inPod(b.Cluster, pair.Server), "load", spec)
	if err != nil {
		return nil, err
	}
	var ready probe.LoadReady
	if err := session.read(probe.FrameReady, &ready); err != nil {
		session.close()
		return nil, b.explainGenerator("server", g.program, err)
	}
	return &generatorServer{b, session, where}, nil
}

// stop ends the server, keeps its report, and makes sure that it lived at
// least as long as its last client.
func (s *generatorServer) stop(last probe.ProcessReport) (probe.LoadReport, error) {
	s.session.close()
	var report probe.LoadReport
	if err := s.session.read(probe.FrameReport, &report); err != nil {
		return report, err
	}
	if err := s.bench.keepJSON("server.json", report); err != nil {
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

// explain ends the server after its client failed, and adds what became of it
// where that belongs to the reason.
func (s *generatorServer) explain(err error, last probe.ProcessReport) error {
	if _, died := s.stop(last); died != nil {
		return joined(err, died)
	}
	return err
}

// diedBefore says how a resident process ended by itself; empty for one that
// was killed, and not before a time.
func diedBefore(p probe.ProcessReport, end time.Time) string {
	if p.Signal == "SIGKILL" && !p.TimedOut && !p.End.Before(end) {
		return ""
	}
	how := unfinished(p)
	if how == "" {
		how = p.Argv[0] + " ended by itself" + lastWords(p)
	}
	return how + ", before it was told to"
}

// runGenerator runs a client in the pair's client pod to its end and keeps
// what it wrote under a name. Whether it did well is for its parser to say.
func (b *Bench) runGenerator(ctx context.Context, pair Pair, name string, g generatorEnd, timeout time.Duration) (probe.LoadReport, error) {
	spec := probe.LoadSpec{First: []probe.Process{{Argv: g.version}}, Processes: []probe.Process{{Argv: g.argv}}, Timeout: timeout}
	var report probe.LoadReport
	if err := b.keepJSON(name+"-command.json", map[string]any{"spec": spec, "pod": pair.Client}); err != nil {
		return report, err
	}
	client, err := open(ctx, g.program+" in "+pair.Client.Name, inPod(b.Cluster, pair.Client), "load", spec)
	if err != nil {
		return report, err
	}
	defer client.close()
	if err := client.read(probe.FrameReport, &report); err != nil {
		return report, b.explainGenerator(name, g.program, err)
	}
	if err := b.keepJSON(name+".json", report); err != nil {
		return report, err
	}
	if len(report.Processes) != 1 || len(report.First) != 1 {
		return report, fmt.Errorf("%s in %s: %d processes were reported, not one", g.program, pair.Client.Name, len(report.Processes))
	}
	return report, nil
}

// explainGenerator keeps the report of a program that did not come up, and
// tells an image without the program from a failure.
func (b *Bench) explainGenerator(name, program string, err error) error {
	var failed *loadError
	if !errors.As(err, &failed) {
		return err
	}
	kept := b.keepJSON(name+".json", failed.report)
	if strings.Contains(failed.report.Reason, notFound) {
		return errors.Join(&UnsupportedError{"the load image has no " + program}, kept)
	}
	return errors.Join(err, kept)
}

// generatorVersions are facts about the programs at both ends. What tells no
// version is said so: it spoils no figure.
func generatorVersions(client, server probe.LoadReport) map[string]string {
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

// sameCongestionControl returns the setting of both ends' networks, and an
// [*InvalidError] where they differ.
func sameCongestionControl(client, server probe.Netns) (string, error) {
	const setting = "net.ipv4.tcp_congestion_control"
	c, s := client.Sysctls[setting], server.Sysctls[setting]
	if c != s {
		return "", &InvalidError{fmt.Sprintf("the client's network has the congestion control %q, the server's %q", c, s)}
	}
	return c, nil
}

// busyMarks mark a client whose busiest thread was on a CPU all the time: the
// figures are the generator's then.
func busyMarks(program string, p probe.ProcessReport) []result.Mark {
	if p.BusiestThread < load.GeneratorLimit {
		return nil
	}
	return limitedMarks([]string{fmt.Sprintf("the busiest thread of %s at the client's end was on a CPU for %.0f %% of the time", program, 100*p.BusiestThread)})
}
