package cni

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cnibench/cnibench/internal/cluster"
)

// Footprint is what a variant's manifests put into a cluster and what they ask
// for. Pods are counted by their templates, not by the nodes that they run on.
// What an operator makes afterwards is in no manifest.
type Footprint struct {
	Kinds        map[string]int `json:"kinds"`        // objects by kind
	Privileged   int            `json:"privileged"`   // containers that are
	Capabilities []string       `json:"capabilities"` // that containers add, each once
	Namespaces   []string       `json:"namespaces"`   // of nodes that pods share: "DaemonSet NAME: hostNetwork"
	HostPaths    []string       `json:"hostPaths"`    // that pods mount, each once
	Permissions  int            `json:"permissions"`  // pairs of verb and resource that roles grant, each once
	Broad        []string       `json:"broad"`        // grants of everything, or of the right to grant: "ClusterRole NAME: *"
}

// Objects is how many there are.
func (f Footprint) Objects() int {
	total := 0
	for _, n := range f.Kinds {
		total += n
	}
	return total
}

// Footprint counts what the manifests hold.
func (m Manifests) Footprint() (Footprint, error) {
	objects, err := cluster.Decode(m.YAML)
	if err != nil {
		return Footprint{}, fmt.Errorf("counting what is installed: %w", err)
	}
	f := Footprint{Kinds: map[string]int{}}
	permissions := map[string]bool{}
	for _, o := range objects {
		f.Kinds[o.GetKind()]++
		switch o.GetKind() {
		case "ClusterRole", "Role":
			f.addRole(o, permissions)
		case "ClusterRoleBinding", "RoleBinding":
			if name, _, _ := unstructured.NestedString(o.Object, "roleRef", "name"); name == "cluster-admin" {
				f.Broad = append(f.Broad, o.GetKind()+" "+o.GetName()+": cluster-admin")
			}
		default:
			if spec, ok := podSpec(o); ok {
				f.addPod(o.GetKind()+" "+o.GetName(), spec)
			}
		}
	}
	f.Permissions = len(permissions)
	for _, list := range []*[]string{&f.Capabilities, &f.HostPaths} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f, nil
}

// podSpec finds the spec of the pods that an object makes, or of a pod.
func podSpec(o *unstructured.Unstructured) (map[string]any, bool) {
	for kind, path := range map[string][]string{
		"Pod": {"spec"}, "CronJob": {"spec", "jobTemplate", "spec", "template", "spec"},
	} {
		if o.GetKind() == kind {
			spec, ok, _ := unstructured.NestedMap(o.Object, path...)
			return spec, ok
		}
	}
	spec, ok, _ := unstructured.NestedMap(o.Object, "spec", "template", "spec")
	return spec, ok
}

func (f *Footprint) addPod(owner string, spec map[string]any) {
	for _, share := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		if spec[share] == true {
			f.Namespaces = append(f.Namespaces, owner+": "+share)
		}
	}
	for _, v := range tables(spec["volumes"]) {
		if path, ok, _ := unstructured.NestedString(v, "hostPath", "path"); ok {
			f.HostPaths = append(f.HostPaths, path)
		}
	}
	for _, list := range []string{"initContainers", "containers"} {
		for _, c := range tables(spec[list]) {
			if privileged, _, _ := unstructured.NestedBool(c, "securityContext", "privileged"); privileged {
				f.Privileged++
			}
			added, _, _ := unstructured.NestedStringSlice(c, "securityContext", "capabilities", "add")
			for _, capability := range added {
				f.Capabilities = append(f.Capabilities, strings.TrimPrefix(strings.ToUpper(capability), "CAP_"))
			}
		}
	}
}

// powers are verbs that give whoever has them more than he has.
var powers = []string{"escalate", "bind", "impersonate"}

func (f *Footprint) addRole(role *unstructured.Unstructured, permissions map[string]bool) {
	for _, rule := range tables(role.Object["rules"]) {
		verbs, groups, resources := texts(rule["verbs"]), texts(rule["apiGroups"]), texts(rule["resources"])
		var broad []string
		for _, list := range [][]string{verbs, groups, resources} {
			if slices.Contains(list, "*") {
				broad = append(broad, "*")
				break
			}
		}
		for _, verb := range verbs {
			if slices.Contains(powers, verb) {
				broad = append(broad, verb)
			}
			for _, group := range groups {
				for _, resource := range resources {
					permissions[strings.Join([]string{role.GetNamespace(), verb, group, resource}, " ")] = true
				}
			}
		}
		if len(broad) > 0 {
			f.Broad = append(f.Broad, role.GetKind()+" "+role.GetName()+": "+strings.Join(broad, ", "))
		}
	}
}

// tables are the mappings of a list.
func tables(list any) []map[string]any {
	elements, _ := list.([]any)
	var all []map[string]any
	for _, e := range elements {
		if table, ok := e.(map[string]any); ok {
			all = append(all, table)
		}
	}
	return all
}

// texts are the strings of a list.
func texts(list any) []string {
	elements, _ := list.([]any)
	var all []string
	for _, e := range elements {
		if text, ok := e.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
