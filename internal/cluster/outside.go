package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os/exec"
)

// Outside is a machine that pods reach and that is no node of the cluster.
// RunOnNode and ProbeArgv take its name.
type Outside struct{ Name, Address string }

// Outside returns a machine outside the cluster on which programs can be run,
// if the provider has one.
func (c *Cluster) Outside() (Outside, bool) {
	m, ok := c.Machines.(interface{ Outside() (Outside, bool) })
	if !ok {
		return Outside{}, false
	}
	return m.Outside()
}

// Outside is the machine of the control plane: it is on the same switch as the
// nodes, has no kubelet, and no plugin runs on it.
func (m labMachines) Outside() (Outside, bool) {
	return Outside{m.AllNodes()[0], m.Config().APIAddress().Addr().String()}, true
}

// BalancerRange returns the addresses that the provider keeps for Services of
// type LoadBalancer, where nobody else gives them any; not valid, it keeps none.
func (c *Cluster) BalancerRange() (netip.Prefix, bool) {
	m, ok := c.Machines.(interface{ BalancerRange() netip.Prefix })
	if !ok {
		return netip.Prefix{}, false
	}
	return m.BalancerRange(), true
}

// BalancerRange lies beside the nodes' network, where a lab has nobody else.
func (m labMachines) BalancerRange() netip.Prefix { return m.Config().BalancerRange() }

// OutsideHost is a host of the user's that is no node of the cluster.
type OutsideHost struct {
	Address string
	Command string // of the shell; runs the program that is appended, on the host
}

// outsideName is what the user's host outside is called.
const outsideName = "outside"

// Outside is the host that the user names, if there is one.
func (m *existingMachines) Outside() (Outside, bool) {
	return Outside{outsideName, m.options.Outside.Address}, m.options.Outside.Address != ""
}

// run runs a program on the host.
func (o OutsideHost) run(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", o.Command + ` "$@"`, "sh"}, argv...)...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdout, stderr, killDelay
	if err := feed(cmd, stdin); err != nil {
		return fmt.Errorf("running %q on the host outside: %w", argv, err)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return &ExitError{argv, exit.ExitCode()}
	}
	if err != nil {
		return fmt.Errorf("running %q on the host outside: %w", argv, err)
	}
	return nil
}
