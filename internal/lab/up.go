package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
	"github.com/cnibench/cnibench/internal/lab/node"
	"github.com/cnibench/cnibench/internal/lab/supply"
)

// ErrTaken says that a lab of the name exists.
var ErrTaken = errors.New("a lab of this name exists")

// Up starts a lab and returns when its API answers and has every node
// registered. The nodes become ready when a network plugin is installed. If
// anything fails, or ctx ends, the machine is left as it was.
func Up(ctx context.Context, c Config, kit supply.Kit, report func(step string)) (*Lab, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := CheckMachine(); err != nil {
		return nil, err
	}
	if err := checkFamily(c.IPFamily); err != nil {
		return nil, err
	}
	if err := loadBridgeFilter(); err != nil {
		return nil, err
	}
	l, err := reserve(c, kit)
	if err != nil {
		return nil, err
	}
	if err := l.bringUp(ctx, kit, report); err != nil {
		if downErr := Down(c.Name); downErr != nil {
			err = errors.Join(err, fmt.Errorf("and cleaning up: %w", downErr))
		}
		return nil, fmt.Errorf("starting lab %s: %w", c.Name, err)
	}
	return l, nil
}

// reserve takes the name and claims the machine for one more lab.
func reserve(c Config, kit supply.Kit) (*Lab, error) {
	unlock, err := lockState()
	if err != nil {
		return nil, err
	}
	defer unlock()
	groups, err := cgroup.Detect()
	if err != nil {
		return nil, err
	}
	maker, err := Self()
	if err != nil {
		return nil, err
	}
	peer, number, err := joinable(c)
	if err != nil {
		return nil, err
	}
	c.Network = number
	if err := os.MkdirAll(labsDir(), 0o755); err != nil {
		return nil, fmt.Errorf("making the lab's directory: %w", err)
	}
	if err := os.Mkdir(labDir(c.Name), 0o755); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("lab %s: %w", c.Name, ErrTaken)
	} else if err != nil {
		return nil, fmt.Errorf("making the lab's directory: %w", err)
	}
	images := map[string]string{}
	for _, image := range kit.Images {
		images[image.Name] = image.Digest
	}
	r := record{Config: c, Created: time.Now().UTC(), Maker: maker, Versions: kit.Versions, Images: images, Kubernetes: kit.Kubernetes, PeerSupervisor: peer}
	if err := errors.Join(r.write(), claimMachine()); err != nil {
		return nil, errors.Join(err, remove(c.Name))
	}
	return &Lab{r, groups}, nil
}

func (l *Lab) bringUp(ctx context.Context, kit supply.Kit, report func(string)) error {
	report("making certificates and file systems")
	creds, err := newCredentials(l.Name())
	if err != nil {
		return err
	}
	spec := l.specification(kit)
	if err := createGroups(l.groups, spec.Cgroup, spec.Nodes); err != nil {
		return err
	}
	if err := l.layOut(ctx, kit, creds, spec.Nodes); err != nil {
		return err
	}
	api, port, err := listenLoopback()
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }() // the supervisor has its own
	report("starting nodes")
	s, err := l.startSupervisor(kit.NodeProgram, spec, api)
	if err != nil {
		return err
	}
	l.record.Supervisor, l.record.Nodes, l.record.Port = &s.process, s.nodes, port
	if err := l.record.write(); err != nil {
		return err
	}
	config := kubeconfig(l.Name(), fmt.Sprintf("127.0.0.1:%d", port), creds.ca.Cert, creds.admin)
	if err := os.WriteFile(l.KubeconfigFile(), config, 0o600); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	client, err := newAPIClient(port, creds)
	if err != nil {
		return err
	}
	report("waiting for the API server")
	if err := l.awaitAPI(ctx, client); err != nil {
		return err
	}
	report("waiting for nodes to register")
	return l.awaitNodes(ctx, client)
}

// startSupervisor starts it in reach of the lab's peer, if there is one.
func (l *Lab) startSupervisor(program string, spec node.Lab, api *os.File) (supervisor, error) {
	if l.record.PeerSupervisor == nil {
		return startSupervisor(program, l.Dir(), spec, api)
	}
	peer, err := l.openPeer()
	if err != nil {
		return supervisor{}, err
	}
	defer func() { _ = peer.Close() }() // the supervisor has its own
	return startSupervisor(program, l.Dir(), spec, api, peer)
}

// specification is everything that the supervisor starts.
func (l *Lab) specification(kit supply.Kit) node.Lab {
	c, group := l.record.Config, l.Cgroup("")
	addresses := c.network()
	master := node.Node{Name: controlPlane, Addresses: addresses.host(controlHost), Services: controlPlaneServices(addresses, l.Cgroup(controlPlane))}
	nodes := []node.Node{master}
	for i := 1; i <= c.Nodes; i++ {
		nodes = append(nodes, node.Node{
			Name: workerName(i), Addresses: addresses.worker(i), Services: workerServices(c, i, l.Cgroup(workerName(i))),
		})
	}
	for i := range nodes {
		n := &nodes[i]
		n.Cgroup, n.Root, n.Dir = l.Cgroup(n.Name), kit.NodeRoot, filepath.Join(l.Dir(), n.Name)
		n.Sysctls = nodeSysctls(addresses)
		n.Binds = programBinds(kit)
		if n.Name != controlPlane {
			n.Binds = append(n.Binds,
				node.Bind{Source: filepath.Join(n.Dir, "containerd"), Target: "/var/lib/containerd"},
				node.Bind{Source: filepath.Join(n.Dir, "kubelet"), Target: "/var/lib/kubelet"})
		}
	}
	return node.Lab{Name: c.Name, MTU: c.MTU, Bridge: addresses.host(bridgeHost), Cgroup: group, API: c.APIAddress(), Nodes: nodes, Peer: c.peer()}
}

// kubernetesPrograms are the names under which the multi-call program is
// linked into nodes.
var kubernetesPrograms = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl"}

// programBinds shows the shared programs inside a node.
func programBinds(kit supply.Kit) []node.Bind {
	binds := []node.Bind{
		{Source: kit.NodeProgram, Target: node.Program, ReadOnly: true},
		{Source: kit.NodeProgram, Target: node.RuncProgram, ReadOnly: true},
		{Source: kit.ProbeProgram, Target: ProbeProgram, ReadOnly: true},
	}
	for _, name := range kubernetesPrograms {
		binds = append(binds, node.Bind{Source: kit.Kubernetes, Target: programsDir + "/" + name, ReadOnly: true})
	}
	if _, err := os.Stat("/lib/modules"); err == nil {
		binds = append(binds, node.Bind{Source: "/lib/modules", Target: "/usr/lib/modules", ReadOnly: true})
	}
	return binds
}

// ProbeProgram is where cnibench-probe lies inside a node.
const ProbeProgram = "/opt/cnibench/cnibench-probe"

// layOut writes the nodes' directories, all at the same time.
func (l *Lab) layOut(ctx context.Context, kit supply.Kit, creds credentials, nodes []node.Node) error {
	errs := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() { errs[i] = l.layOutNode(ctx, kit, creds, i, n) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (l *Lab) layOutNode(ctx context.Context, kit supply.Kit, creds credentials, i int, n node.Node) error {
	if n.Name == controlPlane {
		f, err := creds.controlPlaneFiles(l.record.Config)
		if err != nil {
			return err
		}
		return makeNodeDir(n, f)
	}
	f, err := creds.workerFiles(l.record.Config, i, n.Cgroup)
	if err != nil {
		return err
	}
	if err := makeNodeDir(n, f); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(n.Dir, "kubelet"), 0o755); err != nil {
		return err
	}
	return cloneStore(ctx, imageStore(kit), filepath.Join(n.Dir, "containerd"))
}
