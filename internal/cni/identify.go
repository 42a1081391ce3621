package cni

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/cnibench/cnibench/internal/cluster"
)

// Present is the network plugin that a cluster has, as far as it shows.
type Present struct {
	Plugin    string // its title; empty: none that the catalog knows
	Version   string // tag of its image; empty: it has none
	DaemonSet string // NAMESPACE/NAME
	Mode      string // how it carries packets; empty: it does not say
	Agents    []AgentPods
}

// Facts are for the record of how a variant really ran.
func (p Present) Facts() map[string]string {
	if p.DaemonSet == "" {
		return nil
	}
	facts := map[string]string{"installed plugin": p.Plugin, "installed as": p.DaemonSet, "installed version": "unknown", "installed mode": "unknown"}
	if p.Version != "" {
		facts["installed version"] = p.Version
	}
	if p.Mode != "" {
		facts["installed mode"] = p.Mode
	}
	return facts
}

// Identify recognises the plugin of a cluster by the names of its DaemonSets.
// A cluster may have a plugin without one, or one that the catalog does not
// know: that is no error, and nothing can be attributed to it.
func (c Catalog) Identify(ctx context.Context, in *cluster.Cluster) (Present, error) {
	list, err := in.Kube().AppsV1().DaemonSets(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return Present{}, fmt.Errorf("identifying the installed plugin: %w", err)
	}
	p := recognise(list.Items, c.identities())
	if p.DaemonSet != "" {
		namespace, _, _ := strings.Cut(p.DaemonSet, "/")
		p.Mode = mode(ctx, in, namespace)
	}
	return p, nil
}

// identities are the titles of the plugins, by the names of their DaemonSets.
func (c Catalog) identities() map[string]string {
	titles := map[string]string{}
	for _, plugin := range c.plugins {
		for _, set := range slices.Concat(plugin.Identify, plugin.Ready.DaemonSets) {
			_, bare := inNamespace(set, "")
			titles[bare] = plugin.Title
		}
	}
	return titles
}

// recognise picks the plugin's DaemonSet. Where several are known, such as
// those of chained plugins, all are named, and the pods of all count.
func recognise(sets []appsv1.DaemonSet, titles map[string]string) Present {
	var p Present
	var found []string
	for _, ds := range sets {
		title, known := titles[ds.Name]
		if !known {
			continue
		}
		if !slices.Contains(found, title) {
			found = append(found, title)
		}
		if p.DaemonSet == "" {
			p.DaemonSet = ds.Namespace + "/" + ds.Name
			p.Version = tag(ds.Spec.Template.Spec.Containers[0].Image)
		}
		p.Agents = append(p.Agents, AgentPods{
			Role: "dataplane", Namespace: ds.Namespace, Selector: labels.SelectorFromSet(ds.Spec.Selector.MatchLabels).String(),
		})
	}
	p.Plugin = strings.Join(found, " and ")
	return p
}

// tag reads the tag of an image reference, which may have a digest after it.
func tag(image string) string {
	image, _, _ = strings.Cut(image, "@")
	name := image[strings.LastIndex(image, "/")+1:]
	_, tag, _ := strings.Cut(name, ":")
	return tag
}

// mode asks the configuration that plugins keep in their namespaces.
func mode(ctx context.Context, in *cluster.Cluster, namespace string) string {
	config := func(name string) map[string]string {
		m, err := in.Kube().CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil // it is another plugin's, or not for us to read
		}
		return m.Data
	}
	if m := flannelMode(config("kube-flannel-cfg")); m != "" {
		return m
	}
	return ciliumMode(config("cilium-config"))
}

func flannelMode(data map[string]string) string {
	var net struct {
		Backend struct{ Type string }
	}
	if json.Unmarshal([]byte(data["net-conf.json"]), &net) != nil {
		return ""
	}
	return net.Backend.Type
}

// ciliumKeys are the settings that decide Cilium's datapath.
var ciliumKeys = []string{"routing-mode", "tunnel-protocol", "kube-proxy-replacement", "enable-wireguard", "enable-ipsec"}

func ciliumMode(data map[string]string) string {
	var parts []string
	for _, key := range ciliumKeys {
		if v, ok := data[key]; ok {
			parts = append(parts, key+"="+v)
		}
	}
	return strings.Join(parts, " ")
}
