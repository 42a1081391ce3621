package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// CommandProvider makes clusters with the user's own programs. Each is run by
// sh -c with the cluster's name in CNIBENCH_CLUSTER and the variant's, unless
// variants share the cluster, in CNIBENCH_VARIANT.
type CommandProvider struct {
	Up, Down string
	// Kubeconfig is a file's path, or a command that prints a kubeconfig or
	// the path of one.
	Kubeconfig string
	// Fresh asks for a cluster per request. Otherwise there is one, in which
	// variants take turns: idle clusters cannot be paused here.
	Fresh bool
	// Name is of the shared cluster.
	Name    string
	Options Options // for what Up has made; Kubeconfig is replaced
	LogDir  string  // for what the commands print

	mutex  sync.Mutex
	shared *Cluster
}

// Create implements Provider. If anything fails, Down is run.
func (p *CommandProvider) Create(ctx context.Context, r Request, report func(string)) (*Cluster, error) {
	if p.Fresh {
		return p.make(ctx, userCommands{p, r.Name, r.Variant}, report)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.shared != nil {
		return p.shared, nil
	}
	c, err := p.make(ctx, userCommands{p, p.Name, ""}, report)
	p.shared = c
	return c, err
}

// Shared implements Provider.
func (p *CommandProvider) Shared() bool { return !p.Fresh }

// Close implements Provider.
func (p *CommandProvider) Close() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.shared == nil {
		return nil
	}
	c := p.shared
	p.shared = nil
	return c.Remove()
}

func (p *CommandProvider) make(ctx context.Context, u userCommands, report func(string)) (*Cluster, error) {
	c, err := p.open(ctx, u, report)
	if err != nil {
		return nil, errors.Join(err, u.down())
	}
	m, ok := c.Machines.(*existingMachines)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a cluster of %T", c.Machines), u.down())
	}
	c.Machines = commandMachines{m, u}
	return c, nil
}

func (p *CommandProvider) open(ctx context.Context, u userCommands, report func(string)) (*Cluster, error) {
	report("running cluster.command.up, log " + u.log("up"))
	if _, err := u.run(ctx, "up", p.Up); err != nil {
		return nil, err
	}
	options := p.Options
	options.Report = report
	options.Digests = map[string]string{"command up": digestOf(p.Up), "command down": digestOf(p.Down), "command kubeconfig": digestOf(p.Kubeconfig)}
	var err error
	var remove func()
	if options.Kubeconfig, remove, err = u.kubeconfig(ctx, p.Kubeconfig); err != nil {
		return nil, err
	}
	defer remove()
	return OpenExisting(ctx, options)
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// commandMachines end by the user's command.
type commandMachines struct {
	*existingMachines
	commands userCommands
}

// Remove runs the command: with the cluster goes what we put into it.
func (m commandMachines) Remove() error { return m.commands.down() }

// downTimeout bounds the removal of a cluster by the user's command, which
// may have to wait for a cloud.
const downTimeout = 15 * time.Minute

// userCommands are the commands of one cluster.
type userCommands struct {
	provider *CommandProvider
	name     string // of the cluster
	variant  string
}

func (u userCommands) log(what string) string {
	return filepath.Join(u.provider.LogDir, u.name+"-"+what+".log")
}

func (u userCommands) environment() []string {
	return append(os.Environ(), "CNIBENCH_CLUSTER="+u.name, "CNIBENCH_VARIANT="+u.variant)
}

func (u userCommands) down() error {
	ctx, cancel := context.WithTimeout(context.Background(), downTimeout)
	defer cancel()
	_, err := u.run(ctx, "down", u.provider.Down)
	return err
}
