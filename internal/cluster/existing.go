package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

// Options say how to use a cluster that somebody else runs.
type Options struct {
	Kubeconfig string // file; empty: $KUBECONFIG, then ~/.kube/config
	Context    string // empty: the kubeconfig's current one
	Nodes      NodeRule
	Outside    OutsideHost // zero: nobody knows one
	// ChangeCNI prepares for installing and removing plugins: with more rights
	// and an agent on every node, because plugins leave their marks on all.
	ChangeCNI bool
	// AllowForeign measures beside other workloads on the nodes that carry load.
	AllowForeign bool
	// PluginNamespaces are those whose pods are the plugin and not foreign.
	PluginNamespaces []string
	ToolsImage       string            // empty: ToolsImage
	Digests          map[string]string // of what made the cluster, to be recorded
	Report           func(step string)
}

// OpenExisting connects to a cluster, makes sure that it can be measured, and
// starts agents on its nodes. What it has made is gone again if it fails.
func OpenExisting(ctx context.Context, o Options) (*Cluster, error) {
	if o.ToolsImage == "" {
		o.ToolsImage = ToolsImage
	}
	c, err := dial(o.Kubeconfig, o.Context)
	if err != nil {
		return nil, err
	}
	o.Report("asking the API server of " + c.config.Host)
	version, err := c.kube.Discovery().ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("reaching the API server %s: %w", c.config.Host, err)
	}
	rights := measureRights
	if o.ChangeCNI {
		rights = append(rights[:len(rights):len(rights)], changeRights...)
	}
	if err := c.checkAccess(ctx, rights); err != nil {
		return nil, err
	}
	list, err := c.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	ends, err := o.Nodes.choose(list.Items, o.ChangeCNI)
	if err != nil {
		return nil, err
	}
	if !o.AllowForeign {
		if err := c.refuseForeign(ctx, ends, o.PluginNamespaces); err != nil {
			return nil, err
		}
	}
	m := &existingMachines{cluster: c, options: o, ends: ends, nodes: agentNodes(ends, list.Items, o.ChangeCNI), version: version.GitVersion}
	m.noteKernels(list.Items)
	c.Machines = m
	if err := m.start(ctx); err != nil {
		return nil, errors.Join(err, c.Remove())
	}
	return c, nil
}

// dial makes the client of a kubeconfig file. No request is sent yet.
func dial(kubeconfig, contextName string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: contextName})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, &kubeconfigError{fmt.Errorf("reading kubeconfig: %w", err)}
	}
	return connect(config, nil)
}

// kubeconfigError says that there is no kubeconfig that can be used.
type kubeconfigError struct{ error }

func (e *kubeconfigError) Unwrap() error { return e.error }

// Hint says where kubeconfigs come from.
func (e *kubeconfigError) Hint() string {
	return "name a kubeconfig file and one of its contexts (`kubectl config get-contexts` lists them)"
}

// agentNodes are the nodes that get an agent: those that carry load first.
func agentNodes(ends []string, all []corev1.Node, everywhere bool) []string {
	nodes := append([]string{}, ends...)
	if !everywhere {
		return nodes
	}
	for _, n := range all {
		if !slices.Contains(ends, n.Name) {
			nodes = append(nodes, n.Name)
		}
	}
	return nodes
}

// ExistingProvider hands out the one cluster that there is.
type ExistingProvider struct{ Cluster *Cluster }

// Create implements Provider.
func (p ExistingProvider) Create(context.Context, Request, func(string)) (*Cluster, error) {
	return p.Cluster, nil
}

// Shared implements Provider: it is one cluster for all.
func (p ExistingProvider) Shared() bool { return true }

// Close implements Provider. It leaves the cluster as it was found.
func (p ExistingProvider) Close() error { return p.Cluster.Remove() }
