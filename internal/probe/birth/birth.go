// Package birth tells when the pods of a node came into being, by the traces
// that the kubelet, the container runtime and the plugin leave in directories
// of the node. It asks none of them, and works with every runtime that keeps
// the results of plugins as the reference library does (libcni).
//
// All times are of the node's own clock.
package birth

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
)

// Directories that tell, below a node's root.
const (
	// LogsDir is the kubelet's. It makes NAMESPACE_NAME_UID in it right before
	// it asks the runtime for the pod's sandbox, and the container's directory
	// in that when the sandbox is there and the container is next.
	LogsDir = "/var/log/pods"
	// NetnsDir has the network namespaces of pods, by name.
	NetnsDir = "/run/netns"
	// ResultsDir has what plugins answered to ADD; libcni writes a file when
	// the last plugin of the list has succeeded.
	ResultsDir = "/var/lib/cni/results"
)

// Spec says what to watch.
type Spec struct {
	Namespace string `json:"namespace"` // of the pods
}

// Ready says what is watched.
type Ready struct {
	// Absent says why a directory is not watched, by its path.
	Absent map[string]string `json:"absent,omitempty"`
}

// Report is what was seen.
type Report struct {
	Births []Birth `json:"births"`
	// Lost says that events went by unseen, and why; empty: none did.
	Lost string `json:"lost,omitempty"`
}

// Birth is what was seen of a pod. What was not seen is zero.
type Birth struct {
	Pod string `json:"pod"` // its name
	UID string `json:"uid"`
	// Begun is when the kubelet was about to ask for the sandbox.
	Begun time.Time `json:"begun,omitzero"`
	// Netns is when the pod's network namespace was there, before the plugin
	// was called.
	Netns time.Time `json:"netns,omitzero"`
	// Added is when the result of the plugin's ADD had been written.
	Added time.Time `json:"added,omitzero"`
	// Container is when the sandbox was there and the kubelet went on to the
	// first container.
	Container time.Time `json:"container,omitzero"`
}

// Sandbox is what it took to make the sandbox, the plugin's part included; ok
// is false where that was not seen.
func (b Birth) Sandbox() (d time.Duration, ok bool) { return between(b.Begun, b.Container) }

// ADD is the plugin's part, from the network namespace to the result.
func (b Birth) ADD() (d time.Duration, ok bool) { return between(b.Netns, b.Added) }

func between(from, to time.Time) (time.Duration, bool) {
	if from.IsZero() || to.IsZero() || to.Before(from) {
		return 0, false
	}
	return to.Sub(from), true
}

// podDir reads the name of a pod's directory of logs. Neither namespaces nor
// names of pods have an underscore.
func podDir(name string) (namespace, pod, uid string, ok bool) {
	parts := strings.Split(name, "_")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// added is a result of ADD as libcni keeps it.
type added struct {
	namespace, uid string
	netns          string // the base name of the namespace's file; empty: it is not told
}

// errNotOfPods says that a result is of no pod's network.
var errNotOfPods = errors.New("the result is not of a pod's network")

// parseResult reads a file of ResultsDir.
func parseResult(text []byte) (added, error) {
	var file struct {
		IfName string      `json:"ifName"`
		Netns  string      `json:"netns"`
		Args   [][2]string `json:"cniArgs"`
		Result struct {
			Interfaces []struct {
				Sandbox string `json:"sandbox"`
			} `json:"interfaces"`
		} `json:"result"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return added{}, fmt.Errorf("reading a result: %w", err)
	}
	a := added{netns: file.Netns}
	for _, arg := range file.Args {
		switch arg[0] {
		case "K8S_POD_NAMESPACE":
			a.namespace = arg[1]
		case "K8S_POD_UID":
			a.uid = arg[1]
		}
	}
	// The loopback device is a plugin's work too, and nobody's choice.
	if a.uid == "" || file.IfName == "lo" {
		return added{}, errNotOfPods
	}
	for _, i := range file.Result.Interfaces {
		if a.netns == "" {
			a.netns = i.Sandbox
		}
	}
	if a.netns != "" {
		a.netns = path.Base(a.netns)
	}
	return a, nil
}

// register gathers what was seen, in any order.
type register struct {
	namespace string
	births    map[string]*Birth // by UID
	order     []string          // of UIDs
	netns     map[string]time.Time
	netnsOf   map[string]string // by UID
}

func newRegister(namespace string) *register {
	return &register{namespace: namespace, births: map[string]*Birth{}, netns: map[string]time.Time{}, netnsOf: map[string]string{}}
}

func (r *register) of(uid string) *Birth {
	b, ok := r.births[uid]
	if !ok {
		b = &Birth{UID: uid}
		r.births[uid], r.order = b, append(r.order, uid)
	}
	return b
}

// begun notes a new directory of logs and returns its pod's UID; ok is false if
// it is of another namespace.
func (r *register) begun(dir string, at time.Time) (uid string, ok bool) {
	namespace, pod, uid, ok := podDir(dir)
	if !ok || namespace != r.namespace {
		return "", false
	}
	b := r.of(uid)
	b.Pod, b.Begun = pod, at
	return uid, true
}

func (r *register) container(uid string, at time.Time) {
	if b := r.of(uid); b.Container.IsZero() {
		b.Container = at
	}
}

func (r *register) appeared(netns string, at time.Time) { r.netns[netns] = at }

// added notes a result; one that is of another namespace, or no pod's, is
// nothing to note.
func (r *register) added(text []byte, at time.Time) error {
	a, err := parseResult(text)
	if errors.Is(err, errNotOfPods) || err == nil && a.namespace != r.namespace {
		return nil
	}
	if err != nil {
		return err
	}
	r.of(a.uid).Added, r.netnsOf[a.uid] = at, a.netns
	return nil
}

// report joins what belongs together.
func (r *register) report() []Birth {
	births := make([]Birth, 0, len(r.order))
	for _, uid := range r.order {
		b := *r.births[uid]
		b.Netns = r.netns[r.netnsOf[uid]]
		births = append(births, b)
	}
	return births
}
