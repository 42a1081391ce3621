package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
	"github.com/cnibench/cnibench/internal/lab/node"
)

// State of a lab.
type State string

// What a lab may be doing.
const (
	Running State = "running"
	Paused  State = "paused" // every process frozen
	Dead    State = "dead"   // its processes are gone; the next command removes the rest
)

// Lab is a cluster on this machine.
type Lab struct {
	record record
	groups cgroup.Hierarchy
}

// Open finds a lab by name; see ErrNotFound.
func Open(name string) (*Lab, error) {
	r, err := readRecord(name)
	if err != nil {
		return nil, err
	}
	groups, err := cgroup.Detect()
	if err != nil {
		return nil, err
	}
	return &Lab{r, groups}, nil
}

// Name is unique among the labs of a machine.
func (l *Lab) Name() string { return l.record.Config.Name }

// Config is what the lab was started with.
func (l *Lab) Config() Config { return l.record.Config }

// Created is when the lab was started.
func (l *Lab) Created() time.Time { return l.record.Created }

// Versions names the programs that the lab runs.
func (l *Lab) Versions() map[string]string { return l.record.Versions }

// ImageDigests identifies the images that the lab has, by name.
func (l *Lab) ImageDigests() map[string]string { return l.record.Images }

// APIPort is where the API answers on the machine's loopback.
func (l *Lab) APIPort() int { return l.record.Port }

// Workers lists the nodes that Kubernetes knows.
func (l *Lab) Workers() []string {
	names := make([]string, l.record.Config.Nodes)
	for i := range names {
		names[i] = workerName(i + 1)
	}
	return names
}

// AllNodes lists the workers and the control plane.
func (l *Lab) AllNodes() []string { return append([]string{controlPlane}, l.Workers()...) }

// Dir is where the lab keeps its files.
func (l *Lab) Dir() string { return labDir(l.Name()) }

// KubeconfigFile works from the machine with any client.
func (l *Lab) KubeconfigFile() string { return KubeconfigOf(l.Name()) }

// KubeconfigOf is where the lab of that name has its kubeconfig.
func KubeconfigOf(name string) string { return filepath.Join(labDir(name), "kubeconfig") }

// ServiceLog is the machine's path of a service's log in a node.
func (l *Lab) ServiceLog(nodeName, service string) string {
	return filepath.Join(l.Dir(), nodeName, "upper/var/log/cnibench", service+".log")
}

// Services reads what pid 1 of a node knows of its services.
func (l *Lab) Services(nodeName string) (map[string]node.State, error) {
	// Seen through the process's root, a node's files need no entering.
	dir := filepath.Join("/proc", strconv.Itoa(l.record.Nodes[nodeName]), "root", node.ServiceDir)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("reading the services of %s: none found in %s", nodeName, dir)
	}
	services := map[string]node.State{}
	for _, f := range files {
		var s node.State
		b, err := os.ReadFile(f)
		if err == nil {
			err = json.Unmarshal(b, &s)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the services of %s: %w", nodeName, err)
		}
		services[strings.TrimSuffix(filepath.Base(f), ".json")] = s
	}
	return services, nil
}

// Cgroup is the control group of a node, or of the whole lab for "".
func (l *Lab) Cgroup(nodeName string) string {
	if nodeName == "" {
		return cgroupOf(l.Name())
	}
	return cgroupOf(l.Name()) + "/" + nodeName
}

// CgroupVersion is the kernel interface that the lab's groups live in.
func (l *Lab) CgroupVersion() int { return l.groups.Version }

// State looks at the lab's processes.
func (l *Lab) State() State {
	if l.record.Supervisor == nil || !l.record.Supervisor.Alive() {
		return Dead
	}
	if frozen, err := l.groups.Frozen(l.Cgroup("")); err == nil && frozen {
		return Paused
	}
	return Running
}

// MemoryBytes is what the lab's processes and their page cache use.
func (l *Lab) MemoryBytes() (uint64, error) { return l.groups.MemoryBytes(l.Cgroup("")) }

// Pause freezes every process of the lab: it uses no CPU until resumed.
func (l *Lab) Pause() error { return l.groups.Freeze(l.Cgroup(""), true) }

// Resume lets a paused lab go on. Its parts need a moment to answer again;
// the caller waits for those that it needs.
func (l *Lab) Resume() error { return l.groups.Freeze(l.Cgroup(""), false) }

// List returns every lab that left anything on this machine, by name.
func List() ([]*Lab, error) {
	names, err := recordedNames()
	if err != nil {
		return nil, err
	}
	var labs []*Lab
	for _, name := range names {
		l, err := Open(name)
		if errors.Is(err, ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			continue // being made or being removed
		}
		if err != nil {
			return nil, err
		}
		labs = append(labs, l)
	}
	return slices.Clip(labs), nil
}
