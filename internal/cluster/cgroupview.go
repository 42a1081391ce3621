package cluster

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// cgroupView is what a node calls its control groups, as seen from the mount
// point of /sys/fs/cgroup (on version 1, of each controller).
type cgroupView struct {
	// Pods is the group that holds all pods: "/kubepods.slice".
	Pods string
	// Systemd tells how the kubelet names groups below it: as slices, or as
	// plain directories.
	Systemd bool
	// Programs are the groups of the node's own programs, by program.
	Programs map[string]string
}

// nodePrograms are the programs of a node that belong to Kubernetes, by the
// name in /proc/PID/comm, and what they are. Single programs that contain
// several of the others are listed as the kubelet.
var nodePrograms = map[string]string{
	"kubelet": "kubelet", "k3s-server": "kubelet", "k3s-agent": "kubelet",
	"containerd": "runtime", "crio": "runtime", "dockerd": "runtime", "cri-dockerd": "runtime",
	"kube-proxy": "kube-proxy",
}

// viewScript prints where the group of a pod lies, the groups of all processes
// whose names it is given, and its own. Groups of processes are relative to the
// namespace of the node's pid 1, which need not be where the mount begins.
const viewScript = `
find /sys/fs/cgroup -maxdepth 9 -type d \( -name "*pod$1" -o -name "*pod$2.slice" \) 2>/dev/null | sed 's/^/pod /'
for comm in /proc/[0-9]*/comm; do
	read -r name <"$comm" 2>/dev/null || continue
	case " $3 " in *" $name "*) ;; *) continue ;; esac
	sed "s/^/program $name /" "${comm%comm}cgroup" 2>/dev/null
done
sed 's/^/self /' /proc/self/cgroup`

// viewArgv runs viewScript for a pod.
func viewArgv(p Pod) []string {
	var programs []string
	for name := range nodePrograms {
		programs = append(programs, name)
	}
	slices.Sort(programs)
	return []string{"nsenter", "-t", "1", "-C", "--", "sh", "-c", viewScript, "view", p.UID, strings.ReplaceAll(p.UID, "-", "_"), strings.Join(programs, " ")}
}

// parseView reads what viewScript printed about a pod.
func parseView(text string, p Pod) (cgroupView, error) {
	v := cgroupView{Programs: map[string]string{}}
	self := ""
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "pod":
			base, systemd, err := podsGroup(rest, p)
			if err != nil {
				return cgroupView{}, err
			}
			if v.Pods != "" && v.Pods != base {
				return cgroupView{}, fmt.Errorf("pods are in two control groups, %s and %s", v.Pods, base)
			}
			v.Pods, v.Systemd = base, systemd
		case "program":
			name, group, _ := strings.Cut(rest, " ")
			v.addProgram(nodePrograms[name], group)
		case "self":
			if group := groupOf(rest); self == "" {
				self = group
			}
		}
	}
	if v.Pods == "" {
		return cgroupView{}, errors.New("the control group of a pod that runs there is not below /sys/fs/cgroup")
	}
	v.mount(self, p)
	return v, nil
}

// mount makes the groups of programs relative to the mount point, as the pod's
// is: self is the same group in the namespace. If it does not show the pod
// there is nothing to go by, and the programs' groups are not known.
func (v *cgroupView) mount(self string, p Pod) {
	whole := v.pod(p)
	name := path.Base(whole)
	inside, _, found := strings.Cut(self, name)
	before, fits := strings.CutSuffix(whole, inside+name)
	for program, group := range v.Programs {
		if !found || !fits {
			delete(v.Programs, program)
			continue
		}
		v.Programs[program] = before + group
	}
}

// addProgram notes a line of /proc/PID/cgroup. The hybrid layout has lines of
// both versions, of which the first one counts.
func (v *cgroupView) addProgram(program, line string) {
	if group := groupOf(line); program != "" && group != "" && v.Programs[program] == "" {
		v.Programs[program] = group
	}
}

// groupOf reads a line of /proc/PID/cgroup (cgroups(7)), ID:CONTROLLERS:PATH.
// CPU time decides; on version 2 there is one line, without controllers. The
// root group is everybody's and says nothing about one program.
func groupOf(line string) string {
	fields := strings.SplitN(line, ":", 3)
	if len(fields) != 3 {
		return ""
	}
	counts := fields[0] == "0" || slices.Contains(strings.Split(fields[1], ","), "cpuacct")
	group := fields[2]
	if !counts || group == "/" || !strings.HasPrefix(group, "/") || strings.HasPrefix(group, "/..") {
		return ""
	}
	return group
}

// podsGroup takes a pod's own part off the directory of its group.
func podsGroup(dir string, p Pod) (base string, systemd bool, err error) {
	group := strings.TrimPrefix(dir, "/sys/fs/cgroup")
	// On version 1 the first name is the controller's.
	first, rest, _ := strings.Cut(strings.TrimPrefix(group, "/"), "/")
	if slices.Contains(controllersV1, first) {
		group = "/" + rest
	}
	systemd = strings.HasSuffix(group, ".slice")
	base = path.Dir(group)
	if p.QOS != "Guaranteed" {
		class := strings.ToLower(p.QOS)
		name := path.Base(base)
		if name != class && !strings.HasSuffix(name, "-"+class+".slice") {
			return "", false, fmt.Errorf("the control group %s is none of a pod of class %s", dir, p.QOS)
		}
		base = path.Dir(base)
	}
	if base == "/" || base == "." {
		return "", false, fmt.Errorf("the control group %s has none above it that holds all pods", dir)
	}
	return base, systemd, nil
}

// controllersV1 are the names that hierarchies of version 1 are mounted by.
var controllersV1 = []string{
	"cpu", "cpuacct", "cpu,cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids", "hugetlb", "net_cls", "net_prio",
	"net_cls,net_prio", "perf_event", "rdma", "misc", "systemd", "unified",
}

// pod is the group of a pod, by the kubelet's naming (its cgroup managers for
// systemd and cgroupfs).
func (v cgroupView) pod(p Pod) string {
	class := ""
	if p.QOS != "Guaranteed" {
		class = strings.ToLower(p.QOS)
	}
	if !v.Systemd {
		return path.Join(v.Pods, class, "pod"+p.UID)
	}
	prefix, dir := strings.TrimSuffix(path.Base(v.Pods), ".slice"), v.Pods
	if class != "" {
		prefix += "-" + class
		dir += "/" + prefix + ".slice"
	}
	return dir + "/" + prefix + "-pod" + strings.ReplaceAll(p.UID, "-", "_") + ".slice"
}

// all are the groups that together hold pods and programs, none inside
// another.
func (v cgroupView) all() []string {
	groups := []string{v.Pods}
	for _, g := range v.Programs {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	var outer []string
	for _, g := range groups { // sorted: what holds others comes before them
		inside := slices.ContainsFunc(outer, func(o string) bool { return g == o || strings.HasPrefix(g, o+"/") })
		if !inside {
			outer = append(outer, g)
		}
	}
	return outer
}
