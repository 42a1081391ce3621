package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// existingMachines reaches the nodes of a cluster through agents.
type existingMachines struct {
	cluster *Cluster
	options Options
	ends    []string          // nodes that carry load: client's, server's, others
	nodes   []string          // that have agents, ends first
	kernels map[string]string // boot id by node
	version string

	agents    map[string]Pod
	views     map[string]cgroupView // by node, of those that could be seen
	unseen    map[string]string     // why not, by node
	kubeProxy string
	site      Site
	sysctls   map[string]string
	digests   map[string]string
}

func (m *existingMachines) noteKernels(nodes []corev1.Node) {
	m.kernels = map[string]string{}
	for _, n := range nodes {
		m.kernels[n.Name] = n.Status.NodeInfo.BootID
	}
}

// start brings the agents up and looks around.
func (m *existingMachines) start(ctx context.Context) (err error) {
	m.options.Report(fmt.Sprintf("waiting for an agent on %d nodes", len(m.nodes)))
	if m.agents, err = m.cluster.startAgents(ctx, m.options.ToolsImage, m.nodes); err != nil {
		return err
	}
	m.options.Report("looking at the nodes")
	m.look(ctx)
	m.noteImage(ctx)
	m.kubeProxy = m.detectKubeProxy(ctx)
	if m.sysctls, err = m.congestionControl(ctx); err != nil {
		return err
	}
	// Nodes that have just joined get their pod CIDRs some seconds later.
	list, err := m.cluster.kube.CoreV1().Nodes().List(ctx, listOptions)
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	m.site, err = m.findSite(ctx, list.Items)
	return err
}

// look finds out the control groups of the nodes that carry load. A node whose
// groups cannot be seen has no attribution, which trials say.
func (m *existingMachines) look(ctx context.Context) {
	m.views, m.unseen = map[string]cgroupView{}, map[string]string{}
	for _, n := range m.ends {
		text, err := m.output(ctx, n, viewArgv(m.agents[n])...)
		var v cgroupView
		if err == nil {
			v, err = parseView(text, m.agents[n])
		}
		if err != nil {
			m.unseen[n] = err.Error()
			continue
		}
		m.views[n] = v
	}
}

// output runs a program in an agent's own root and returns what it prints.
func (m *existingMachines) output(ctx context.Context, node string, argv ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	err := m.cluster.Exec(ctx, m.agents[node], argv, nil, &stdout, &stderr)
	if err != nil {
		return "", fmt.Errorf("on %s: %w: %s", node, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
}

// noteImage records which tools image really runs.
func (m *existingMachines) noteImage(ctx context.Context) {
	m.digests = maps.Clone(m.options.Digests)
	if m.digests == nil {
		m.digests = map[string]string{}
	}
	agent := m.agents[m.ends[0]]
	p, err := m.cluster.kube.CoreV1().Pods(agent.Namespace).Get(ctx, agent.Name, getOptions)
	if err == nil && len(p.Status.ContainerStatuses) > 0 {
		m.digests[m.options.ToolsImage] = p.Status.ContainerStatuses[0].ImageID
	}
}

// enterNode puts a program into the namespaces of the node's pid 1, root file
// system included.
var enterNode = []string{"nsenter", "-t", "1", "-m", "-n", "-u", "-i", "-p", "--"}

// probeProgram is looked up in the agent's own image.
const probeProgram = "cnibench-probe"

// RunOnNode implements Machines. The probe runs in the agent, whose network
// and processes are the node's; everything else is the node's own program.
func (m *existingMachines) RunOnNode(ctx context.Context, node string, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if outside, ok := m.Outside(); ok && node == outside.Name {
		return m.options.Outside.run(ctx, argv, stdin, stdout, stderr)
	}
	agent, ok := m.agents[node]
	if !ok {
		return fmt.Errorf("running %q on %s: there is no agent, only on %s", argv, node, strings.Join(m.nodes, ", "))
	}
	command := argv
	if argv[0] != probeProgram {
		command = append(slices.Clone(enterNode), argv...)
	}
	if stdin == nil && stdout == nil && stderr == nil {
		stdout = io.Discard // the API refuses to run a program with no stream
	}
	return m.cluster.Exec(ctx, agent, command, stdin, stdout, stderr)
}

func (m *existingMachines) ProbeArgv(args ...string) []string {
	return append([]string{probeProgram}, args...)
}

func (m *existingMachines) NodeRoot() string { return agentRoot }

// Samplers are all nodes that carry load, also those that share a kernel:
// nodes in containers see no control groups but their own.
func (m *existingMachines) Samplers() []string { return slices.Clone(m.ends) }

// Lacks is empty: nodes pull, and say so themselves if they cannot.
func (m *existingMachines) Lacks([]string) ([]string, error) { return nil, nil }

func (m *existingMachines) SharedKernel() bool {
	first := m.kernels[m.ends[0]]
	for _, end := range m.ends {
		if m.kernels[end] != first {
			return false
		}
	}
	return first != "" || len(m.ends) == 1
}

func (m *existingMachines) LoadNodes() []string { return slices.Clone(m.ends) }
func (m *existingMachines) NodeNames() []string { return slices.Clone(m.nodes) }
func (m *existingMachines) KubeProxy() string   { return m.kubeProxy }
func (m *existingMachines) Site() Site          { return m.site }
func (m *existingMachines) ToolsImage() string  { return m.options.ToolsImage }

func (m *existingMachines) PodSysctls() map[string]string { return maps.Clone(m.sysctls) }

func (m *existingMachines) PodGroup(p Pod) string {
	v, ok := m.views[p.Node]
	if !ok {
		return ""
	}
	return v.pod(p)
}

func (m *existingMachines) SystemGroups(node string) map[string][]string {
	groups := map[string][]string{}
	for program, group := range m.views[node].Programs {
		groups[program] = []string{group}
	}
	return groups
}

func (m *existingMachines) ClusterGroups(node string) []string {
	v, ok := m.views[node]
	if !ok {
		return nil
	}
	return v.all()
}

func (m *existingMachines) Unattributed() map[string]string { return maps.Clone(m.unseen) }

// markTimeout bounds one look at a node's programs.
const markTimeout = 20 * time.Second

// markScript prints name, pid and start time (proc_pid_stat(5), field 22) of
// the node's own programs, whose names have no spaces.
const markScript = `for f in /proc/[0-9]*/comm; do
	read -r name <"$f" 2>/dev/null || continue
	case " $1 " in *" $name "*) echo "$name ${f%/comm} $(sed 's/^.*) //' "${f%comm}stat" 2>/dev/null | awk '{print $20}')" ;; esac
done
true`

// Incarnations implements Machines: kubelet, runtime and kube-proxy of the
// nodes that carry load.
func (m *existingMachines) Incarnations() (map[string]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), markTimeout)
	defer cancel()
	names := slices.Sorted(maps.Keys(nodePrograms))
	marks, errs := map[string]string{}, make([]error, len(m.ends))
	var mutex sync.Mutex
	var all sync.WaitGroup
	for i, n := range m.ends {
		all.Go(func() {
			text, err := m.output(ctx, n, "sh", "-c", markScript, "marks", strings.Join(names, " "))
			errs[i] = err
			mutex.Lock()
			defer mutex.Unlock()
			for line := range strings.Lines(text) {
				if name, mark, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
					marks[n+"/"+name] += mark + "; "
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return marks, nil
}

// Pause and Resume do nothing: nobody stops a cluster that is not his.
func (m *existingMachines) Pause() error  { return nil }
func (m *existingMachines) Resume() error { return nil }

func (m *existingMachines) Versions() map[string]string {
	return map[string]string{"kubernetes": m.version}
}

func (m *existingMachines) Digests() map[string]string { return maps.Clone(m.digests) }

// Remove takes everything of ours out of the cluster. Plugins that were
// installed are not ours: whoever installed them removes them before.
func (m *existingMachines) Remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	return m.cluster.removeOurs(ctx)
}

// KubeletsAnswer checks that programs can be started on the nodes that carry
// load, which takes their kubelets.
func (m *existingMachines) KubeletsAnswer(ctx context.Context) error {
	for _, n := range m.ends {
		if _, err := m.output(ctx, n, "true"); err != nil {
			return err
		}
	}
	return nil
}

// MayChangeCNI tells whether the user allows that the cluster's network plugin
// is touched; whoever makes a cluster allows it.
func (c *Cluster) MayChangeCNI() bool {
	m, existing := c.Machines.(*existingMachines)
	return !existing || m.options.ChangeCNI
}
