package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/cost"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/serve"
)

type serveOptions struct {
	listen      string
	allowRemote bool
	names       []string
}

func newServe(s streams) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve DIR",
		Short: "show results in a browser while they are measured",
		Long: `serve shows the report of a results directory to browsers on this machine: how
far the campaign is, and cells that fill as trials end, without a reload. Of a
directory that holds several results directories it shows a list, with links to
each and to comparisons of two.

It prints its address, reads only, and needs nothing from the network. What it
costs is bounded: while nobody looks it does nothing, and reports are made at
the lowest priority and so seldom that they take a twentieth of one core at most.

Only this machine can ask, unless --listen names another address and
--allow-remote says that this is meant: there is no password, and the results
with their evidence, which names machines and addresses, are anybody's then.

Exit status: 0 ended by Ctrl-C or SIGTERM, 1 the directory cannot be read or
the address is taken, 2 usage.`,
		Example: `  cnibench serve results/monday
  cnibench serve results
  cnibench serve results --listen 127.0.0.1:8080
  cnibench serve results --listen 0.0.0.0:8080 --allow-remote --name bench.example`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.serve(cmd.Context(), s, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`ADDRESS:PORT` to listen at; port 0: any that is free")
	f.BoolVar(&o.allowRemote, "allow-remote", false, "let other machines read all of it")
	f.StringArrayVar(&o.names, "name", nil, "host `NAME` that browsers may call this server by, besides localhost and addresses")
	return cmd
}

func (o serveOptions) serve(ctx context.Context, s streams, dir string) error {
	scripts, err := report.ScriptSources()
	if err != nil {
		return err
	}
	options := serve.Options{
		Path: dir, Names: o.names, Log: s.err, Scripts: scripts,
		Report: func(w io.Writer, d *result.Dir) error {
			source, err := reportSource(d, cost.Default())
			if err != nil {
				return err
			}
			return report.HTML(w, source)
		},
		Compare: compareText,
	}
	if err := options.Check(); err != nil {
		return failed(err, "give a directory that `cnibench run` wrote, or one that holds several")
	}
	l, err := o.open(ctx)
	if err != nil {
		return err
	}
	if o.allowRemote && !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		s.tell("cnibench: warning: everybody who can reach %s can read these results and their evidence\n", l.Addr())
	}
	if _, err := fmt.Fprintf(s.out, "http://%s/\n", shownAddress(l.Addr())); err != nil {
		return err
	}
	s.tell("serving %s; Ctrl-C ends it\n", dir)
	runtime.GOMAXPROCS(1) // the others are for what is measured
	if err := serve.LowPriority(); err != nil {
		s.tell("cnibench: warning: %v\n", err)
	}
	return serve.Run(ctx, l, options)
}

// open listens at the address that was asked for. A name is resolved once, so
// that what was checked is what is used.
func (o serveOptions) open(ctx context.Context) (net.Listener, error) {
	address, err := net.ResolveTCPAddr("tcp", o.listen)
	if err != nil {
		return nil, usage(fmt.Errorf("--listen %q: %w", o.listen, err), "give an address and a port, such as 127.0.0.1:8080")
	}
	if !address.IP.IsLoopback() && !o.allowRemote {
		return nil, usage(fmt.Errorf("--listen %s: other machines could read the results there", o.listen),
			"use an address of this machine alone, such as 127.0.0.1:8080, or add --allow-remote if that is meant")
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address.String())
	if err != nil {
		return nil, failed(err, "choose another port with --listen, or 0 for any that is free")
	}
	return l, nil
}

// shownAddress is one that a browser can open: of all addresses of a machine
// it is the one that leads to itself.
func shownAddress(a net.Addr) string {
	tcp := *a.(*net.TCPAddr)
	if tcp.IP.IsUnspecified() {
		tcp.IP = net.IPv4(127, 0, 0, 1)
	}
	return tcp.String()
}

// compareText compares two campaigns as `cnibench compare` does.
func compareText(w io.Writer, first, second *result.Dir) error {
	var campaigns []analysis.Campaign
	for _, d := range []*result.Dir{first, second} {
		c, err := readFrom(streams{err: io.Discard}, d)
		if err != nil {
			return err
		}
		campaigns = append(campaigns, c)
	}
	compared, err := analysis.CompareBetween(campaigns[0], campaigns[1], analysis.CompareOptions{})
	if err != nil {
		return err
	}
	return report.CompareText(w, compared.Brief())
}
