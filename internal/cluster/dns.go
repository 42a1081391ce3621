package cluster

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/cnibench/cnibench/internal/lab/supply"
)

// The Service of the cluster's DNS has this name whatever serves it, so that
// kubelets and users find it.
const dnsNamespace, dnsService = metav1.NamespaceSystem, "kube-dns"

// DNS is the cluster IP of the cluster's DNS. Where there is none, missing says
// so.
func (c *Cluster) DNS(ctx context.Context) (address, missing string, err error) {
	svc, err := c.kube.CoreV1().Services(dnsNamespace).Get(ctx, dnsService, getOptions)
	switch {
	case apierrors.IsNotFound(err):
		return "", fmt.Sprintf("the cluster has no Service %s/%s", dnsNamespace, dnsService), nil
	case err != nil:
		return "", "", fmt.Errorf("looking up service %s: %w", dnsService, err)
	case svc.Spec.ClusterIP == "" || svc.Spec.ClusterIP == corev1.ClusterIPNone:
		return "", fmt.Sprintf("Service %s/%s has no address", dnsNamespace, dnsService), nil
	}
	return svc.Spec.ClusterIP, "", nil
}

// DNSServers are the pods that serve the cluster's DNS, by name, and what tells
// each from its successors: its containers' identities.
func (c *Cluster) DNSServers(ctx context.Context) (map[string]string, error) {
	svc, err := c.kube.CoreV1().Services(dnsNamespace).Get(ctx, dnsService, getOptions)
	if err != nil {
		return nil, fmt.Errorf("looking up service %s: %w", dnsService, err)
	}
	pods, err := c.kube.CoreV1().Pods(dnsNamespace).List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(svc.Spec.Selector).String()})
	if err != nil {
		return nil, fmt.Errorf("listing the pods of service %s: %w", dnsService, err)
	}
	servers := map[string]string{}
	for _, p := range pods.Items {
		for _, container := range p.Status.ContainerStatuses {
			servers[p.Name] += container.ContainerID
		}
	}
	return servers, nil
}

//go:embed dns.yaml
var dnsManifest string

// StartDNS gives a lab a DNS of its own: CoreDNS, as one pod on the last of the
// nodes that carry load, so that clients on the first reach it across the
// plugin's network; in the node's network where no plugin makes another. It
// does not wait for the pod.
func (c *Cluster) StartDNS(ctx context.Context, hostNetwork bool) error {
	lacking, err := c.Lacks([]string{supply.DNSImage})
	if err != nil {
		return fmt.Errorf("starting DNS: %w", err)
	}
	if len(lacking) > 0 {
		return fmt.Errorf("starting DNS: the lab was made without the image %s", lacking[0])
	}
	l, ok := c.Machines.(labMachines)
	if !ok {
		return errors.New("starting DNS: only labs are given one")
	}
	nodes := c.LoadNodes()
	objects, err := dnsObjects(l.Config().ClusterDNS(), nodes[len(nodes)-1], hostNetwork)
	if err == nil {
		err = c.Apply(ctx, objects)
	}
	if err != nil {
		return fmt.Errorf("starting DNS: %w", err)
	}
	return nil
}

// dnsObjects fills in the manifest.
func dnsObjects(address, node string, hostNetwork bool) ([]*unstructured.Unstructured, error) {
	return Decode([]byte(strings.NewReplacer(
		"$address$", address, "$image$", supply.DNSImage, "$node$", node, "$hostNetwork$", strconv.FormatBool(hostNetwork),
	).Replace(dnsManifest)))
}
