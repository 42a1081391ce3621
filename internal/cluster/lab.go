package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/lab/node"
	"github.com/cnibench/cnibench/internal/lab/supply"
)

// LabProvider makes clusters on this machine.
type LabProvider struct {
	Kit    supply.Kit
	Config lab.Config // Name is replaced by the cluster's
}

// Create implements Provider.
func (p LabProvider) Create(ctx context.Context, r Request, report func(string)) (*Cluster, error) {
	config := p.Config
	config.Name = r.Name
	config.KubeProxy = cmp.Or(r.KubeProxy, config.KubeProxy)
	if r.MTU > 0 {
		config.MTU = r.MTU
	}
	config.Peer = cmp.Or(r.Peer, config.Peer)
	l, err := lab.Up(ctx, config, p.Kit, report)
	if err != nil {
		return nil, err
	}
	c, err := FromLab(l)
	if err != nil {
		return nil, errors.Join(err, lab.Down(r.Name))
	}
	return c, nil
}

// Shared implements Provider: every variant has a lab of its own.
func (p LabProvider) Shared() bool { return false }

// Close implements Provider.
func (p LabProvider) Close() error { return nil }

// FromLab connects to a lab that runs.
func FromLab(l *lab.Lab) (*Cluster, error) {
	kubeconfig, err := l.Kubeconfig()
	if err != nil {
		return nil, err
	}
	return Connect(kubeconfig, labMachines{l})
}

// labMachines reaches the nodes of a lab through their namespaces.
type labMachines struct{ *lab.Lab }

func (m labMachines) RunOnNode(ctx context.Context, nodeName string, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
	cmd, err := m.Command(ctx, nodeName, argv...)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := feed(cmd, stdin); err != nil {
		return fmt.Errorf("running %q on %s: %w", argv, nodeName, err)
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return &ExitError{argv, exit.ExitCode()}
	}
	if err != nil {
		return fmt.Errorf("running %q on %s: %w", argv, nodeName, err)
	}
	return nil
}

// feed connects stdin in a way that lets a program end before its input does:
// exec.Cmd itself would wait for a reader that may block for ever.
func feed(cmd *exec.Cmd, stdin io.Reader) error {
	if stdin == nil {
		return nil
	}
	w, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(w, stdin) // the program's end is the only error, and Run reports it
		_ = w.Close()
	}()
	return nil
}

func (m labMachines) ProbeArgv(args ...string) []string {
	return append([]string{lab.ProbeProgram}, args...)
}

func (m labMachines) NodeRoot() string { return "/" }

// Samplers needs one node only: all share the kernel.
func (m labMachines) Samplers() []string { return m.Workers()[:1] }

func (m labMachines) NodeNames() []string { return m.Workers() }

func (m labMachines) LoadNodes() []string { return m.Workers() }

func (m labMachines) ToolsImage() string { return ToolsImage }

func (m labMachines) Unattributed() map[string]string { return nil }

func (m labMachines) KubeProxy() string { return m.Config().KubeProxy }

func (m labMachines) Site() Site {
	api := m.Config().APIAddress()
	podCIDR, podCIDR6 := byFamily(m.Config().PodCIDRs())
	serviceCIDR, serviceCIDR6 := byFamily(m.Config().ServiceCIDRs())
	return Site{
		PodCIDR: podCIDR, PodCIDRv6: podCIDR6, ServiceCIDR: serviceCIDR, ServiceCIDRv6: serviceCIDR6, APIHost: api.Addr().String(), APIPort: fmt.Sprint(api.Port()),
		Uplink: node.Interface, LinkMTU: m.Config().MTU, ControlPlaneIPs: []string{api.Addr().String()},
		KubeVersion: m.Lab.Versions()["kubernetes"],
	}
}

// byFamily is the prefix of IPv4 and that of IPv6; empty where there is none.
func byFamily(prefixes []netip.Prefix) (four, six string) {
	for _, p := range prefixes {
		if p.Addr().Is4() {
			four = p.String()
		} else {
			six = p.String()
		}
	}
	return four, six
}

func (m labMachines) Lacks(images []string) ([]string, error) {
	return supply.Lacks(slices.Collect(maps.Keys(m.ImageDigests())), images)
}

func (m labMachines) SharedKernel() bool { return true }

func (m labMachines) PodSysctls() map[string]string { return lab.PodSysctls() }

func (m labMachines) SystemGroups(nodeName string) map[string][]string {
	group := m.Cgroup(nodeName)
	groups := map[string][]string{
		"kubelet": {group + "/kubelet"},
		"runtime": {group + "/runtime"},
	}
	if m.KubeProxy() != "none" { // a group that never exists would spoil the sum
		groups["kube-proxy"] = []string{group + "/kube-proxy"}
	}
	return groups
}

// PodGroup follows the kubelet's cgroupfs driver: guaranteed pods lie directly
// below kubepods.
func (m labMachines) PodGroup(p Pod) string {
	base := m.Cgroup(p.Node) + "/kubepods"
	if p.QOS != "Guaranteed" {
		base += "/" + strings.ToLower(p.QOS)
	}
	return base + "/pod" + p.UID
}

func (m labMachines) ClusterGroups(string) []string { return []string{m.Cgroup("")} }

func (m labMachines) Incarnations() (map[string]string, error) {
	marks := map[string]string{}
	for _, n := range m.AllNodes() {
		services, err := m.Services(n)
		if err != nil {
			return nil, err
		}
		for name, s := range services {
			marks[n+"/"+name] = fmt.Sprintf("start %d, pid %d", s.Starts, s.PID)
		}
	}
	return marks, nil
}

// logTail is how much of a log is kept as evidence of a failure.
const logTail = 256 << 10

func (m labMachines) Collect(_ context.Context, dir string) error {
	var errs []error
	for _, n := range m.AllNodes() {
		logs, err := filepath.Glob(m.ServiceLog(n, "*"))
		errs = append(errs, err)
		for _, file := range logs {
			errs = append(errs, copyTail(file, filepath.Join(dir, n+"-"+filepath.Base(file))))
		}
	}
	return errors.Join(errs...)
}

func copyTail(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b[max(0, len(b)-logTail):], 0o644)
}

func (m labMachines) Versions() map[string]string { return maps.Clone(m.Lab.Versions()) }

func (m labMachines) Digests() map[string]string { return maps.Clone(m.ImageDigests()) }

func (m labMachines) Remove() error { return lab.Down(m.Name()) }
