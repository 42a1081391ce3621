package stage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab/pki"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/tunnel"
)

// Ways between a control plane and its nodes.
const (
	Direct       = "direct"
	OpenVPN      = "openvpn"
	Konnectivity = "konnectivity"
)

// TunnelSpec asks for a way from the client's end, which stands for the API
// server's, to the server's, which is at the nodes.
type TunnelSpec struct {
	Kind string // Direct, OpenVPN or Konnectivity
	Ends Ends
	// Ports of the server, TCP, that must be reached besides the echo's.
	Ports []int
	// Protocol and Cipher are OpenVPN's.
	Protocol, Cipher string
	// Life is how long the tunnel may be needed; its programs are killed then.
	Life time.Duration
}

// Tunnel is a way that has been proven: the server's echo answers at Address.
type Tunnel struct {
	Pair    Pair
	Address Address // where the client finds the server's ports
	// Listen is the address that servers behind the tunnel listen on.
	Listen string
	// Source is the address that the server sees a client at who came through
	// the tunnel; empty where that tells nothing.
	Source string
	// Broken says why TCP of the client's end is not that of the server's;
	// empty where it is.
	Broken  string
	facts   map[string]string
	daemons []*daemon
	// forwarding leads the load into the tunnel, as long as it lives; nil: nothing
	// has to.
	forwarding *Session
	// judge reads what the programs said, in the order of daemons.
	judge func([]probe.ProcessReport) (map[string]string, error)
}

// tunnelTimeout bounds the wait for a tunnel to carry something.
const tunnelTimeout = 30 * time.Second

// OpenTunnel makes a tunnel and returns when it carries. The caller stops it,
// or closes it where nobody asks how it went. Where pods cannot have it, the
// error is an [*UnsupportedError].
func (b *Bench) OpenTunnel(ctx context.Context, spec TunnelSpec) (*Tunnel, error) {
	open, ok := map[string]func(context.Context, TunnelSpec) (*Tunnel, error){
		Direct: b.openDirect, OpenVPN: b.openOpenVPN, Konnectivity: b.openKonnectivity,
	}[spec.Kind]
	if !ok {
		return nil, fmt.Errorf("there is no tunnel %q", spec.Kind)
	}
	t, err := open(ctx, spec)
	if err != nil {
		return nil, err
	}
	err = cluster.Until(ctx, tunnelTimeout, "an echo through the tunnel "+spec.Kind, func(ctx context.Context) error {
		return cni.Reach(ctx, b.Cluster, t.Pair.Client, t.Address.Host, t.Address.Port(EchoPort))
	})
	if err != nil {
		_, said := t.Stop(time.Time{})
		if ctx.Err() != nil {
			return nil, err
		}
		var unsupported *UnsupportedError
		if errors.As(said, &unsupported) {
			return nil, said
		}
		return nil, errors.Join(t.Explain(err), said)
	}
	return t, nil
}

// openDirect is no tunnel: the server's own address.
func (b *Bench) openDirect(ctx context.Context, spec TunnelSpec) (*Tunnel, error) {
	pair, err := b.Stage.Pair(ctx, spec.Ends)
	if err != nil {
		return nil, err
	}
	return &Tunnel{
		Pair: pair, Address: Address{Host: pair.Server.IP}, Listen: pair.Server.IP, facts: map[string]string{"tunnel": "none"},
		judge: func([]probe.ProcessReport) (map[string]string, error) { return nil, nil },
	}, nil
}

// Close ends the tunnel, whatever its programs would say.
func (t *Tunnel) Close() {
	for _, d := range t.daemons {
		d.session.Close()
	}
	if t.forwarding != nil {
		t.forwarding.Close()
	}
}

// Explain ends the tunnel and adds to an error of the load why the tunnel did
// not make its latest connection, if that is so: the load sees connections that
// end.
func (t *Tunnel) Explain(err error) error {
	t.Close()
	if t.forwarding == nil {
		return err
	}
	var ended probe.ForwardEnded
	if lost := t.forwarding.Read(probe.FrameForwarded, &ended); lost != nil {
		return errors.Join(err, lost)
	}
	if ended.Refused != "" {
		return fmt.Errorf("%w; the way through the tunnel: %s", err, ended.Refused)
	}
	return err
}

// Stop ends the tunnel, keeps what its programs said, and makes sure that they
// lived until the load had ended. It returns facts about the tunnel.
func (t *Tunnel) Stop(loadEnd time.Time) (map[string]string, error) {
	t.Close()
	var reports []probe.ProcessReport
	var failed error
	for _, d := range t.daemons {
		p, err := d.report()
		reports = append(reports, p)
		if err == nil {
			if why := diedBefore(p, loadEnd); why != "" {
				err = fmt.Errorf("%s: %s", d.session.Where, why)
			}
		}
		failed = errors.Join(failed, err)
	}
	said, err := t.judge(reports)
	facts := maps.Clone(t.facts)
	maps.Copy(facts, said)
	for i, p := range reports {
		facts[t.daemons[i].name+" CPU"] = fmt.Sprintf("%.2f s in %.1f s", p.UserSeconds+p.SystemSeconds, p.End.Sub(p.Start).Seconds())
	}
	var unsupported *UnsupportedError
	if errors.As(err, &unsupported) {
		return facts, unsupported // it explains the others
	}
	return facts, errors.Join(failed, err)
}

// daemon is a program of a tunnel at one end. It dies with its caller.
type daemon struct {
	bench   *Bench
	name    string // of the end, for evidence and facts
	session *Session
}

// startDaemon starts a program next to the load and returns when it serves its
// ports; without any, at once.
func (b *Bench) startDaemon(ctx context.Context, name string, pod cluster.Pod, spec probe.LoadSpec) (*daemon, error) {
	spec.Resident = true
	session, err := Open(ctx, name+" in "+pod.Name, ProbeInPod(b.Cluster, besideOf(pod)), "load", spec)
	if err != nil {
		return nil, err
	}
	d := &daemon{b, name, session}
	if len(spec.Listen)+len(spec.ListenUDP) == 0 {
		return d, nil
	}
	var ready probe.LoadReady
	if err := session.Read(probe.FrameReady, &ready); err != nil {
		session.Close()
		return nil, b.explainDaemon(name, spec.Processes[0].Argv[0], err)
	}
	return d, nil
}

// explainDaemon keeps what a program said that did not come up.
func (b *Bench) explainDaemon(name, program string, err error) error {
	err = b.explainGenerator(name, program, err)
	var failed *LoadError
	if errors.As(err, &failed) && len(failed.Report.Processes) == 1 {
		if why := tunnel.ParseOpenVPN(failed.Report.Processes[0].Stdout).NoDevice; why != "" {
			return &UnsupportedError{"pods cannot have a TUN device here: " + why}
		}
		return fmt.Errorf("%w%s", err, LastWords(failed.Report.Processes[0]))
	}
	return err
}

// report is what became of the program, once its session is closed.
func (d *daemon) report() (probe.ProcessReport, error) {
	var report probe.LoadReport
	if err := d.session.Read(probe.FrameReport, &report); err != nil {
		return probe.ProcessReport{}, d.bench.explainDaemon(d.name, d.name, err)
	}
	if len(report.Processes) != 1 {
		return probe.ProcessReport{}, fmt.Errorf("%s: %d processes were reported, not one", d.session.Where, len(report.Processes))
	}
	p := report.Processes[0]
	d.bench.Keep(d.name+".log", []byte(p.Stdout+p.Stderr))
	report.Processes[0].Stdout, report.Processes[0].Stderr = "", "" // a file of its own has it
	return p, d.bench.KeepJSON(d.name+".json", report)
}

// tunnelCredentials are made for one tunnel and forgotten with it: those of the
// end that listens at an address, and of the one that dials it.
func tunnelCredentials(address string) (server, client tunnel.Credentials, err error) {
	authority, err := pki.NewAuthority("tunnel of one trial")
	if err != nil {
		return server, client, err
	}
	listens, err := authority.Server("control-plane", address)
	if err != nil {
		return server, client, err
	}
	dials, err := authority.Client("node")
	if err != nil {
		return server, client, err
	}
	return tunnel.Credentials{Authority: authority.Cert, Cert: listens.Cert, Key: listens.Key},
		tunnel.Credentials{Authority: authority.Cert, Cert: dials.Cert, Key: dials.Key}, nil
}
