package cluster

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// findSite collects what a plugin's manifests must know. What cannot be found
// stays empty: only a variant that needs it fails.
func (m *existingMachines) findSite(ctx context.Context, nodes []corev1.Node) (Site, error) {
	s := Site{KubeVersion: m.version}
	kubeadm := m.kubeadm(ctx)
	managers := m.managerFlags(ctx)
	s.PodCIDR = firstOf(kubeadm.Networking.PodSubnet, managers["cluster-cidr"], supernet(podCIDRs(nodes)))
	s.ServiceCIDR = firstOf(m.serviceCIDR(ctx), kubeadm.Networking.ServiceSubnet, managers["service-cluster-ip-range"], m.refusedCIDR(ctx))
	// Of two families the plugin entries know the first.
	s.PodCIDR, _, _ = strings.Cut(s.PodCIDR, ",")
	s.ServiceCIDR, _, _ = strings.Cut(s.ServiceCIDR, ",")
	s.APIHost, s.APIPort = m.apiEndpoint(ctx)
	for _, n := range nodes {
		if isControlPlane(n) {
			s.ControlPlaneIPs = append(s.ControlPlaneIPs, internalIP(n))
		}
	}
	var err error
	s.Uplink, s.LinkMTU, err = m.uplink(ctx, nodes)
	return s, err
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// kubeadmConfig is what we read of kubeadm's ClusterConfiguration.
type kubeadmConfig struct {
	Networking struct {
		PodSubnet     string `json:"podSubnet"`
		ServiceSubnet string `json:"serviceSubnet"`
	} `json:"networking"`
}

func (m *existingMachines) kubeadm(ctx context.Context) kubeadmConfig {
	var config kubeadmConfig
	cm, err := m.cluster.kube.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, "kubeadm-config", getOptions)
	if err != nil || yaml.Unmarshal([]byte(cm.Data["ClusterConfiguration"]), &config) != nil {
		return kubeadmConfig{}
	}
	return config
}

// managerFlags reads the command line of the controller manager where it is a
// pod.
func (m *existingMachines) managerFlags(ctx context.Context) map[string]string {
	pods, err := m.cluster.kube.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=kube-controller-manager"})
	if err != nil || len(pods.Items) == 0 {
		return nil
	}
	c := pods.Items[0].Spec.Containers[0]
	return flags(slices.Concat(c.Command, c.Args))
}

// flags reads --NAME=VALUE.
func flags(argv []string) map[string]string {
	values := map[string]string{}
	for _, arg := range argv {
		if name, value, ok := strings.Cut(strings.TrimPrefix(arg, "--"), "="); ok && strings.HasPrefix(arg, "--") {
			values[name] = value
		}
	}
	return values
}

// serviceCIDR asks the API object that Kubernetes has from 1.33 on.
func (m *existingMachines) serviceCIDR(ctx context.Context) string {
	c, err := m.cluster.kube.NetworkingV1().ServiceCIDRs().Get(ctx, "kubernetes", getOptions)
	if err != nil {
		return ""
	}
	return strings.Join(c.Spec.CIDRs, ",")
}

// refusedCIDR makes the API server say which addresses it gives to Services:
// it refuses others in these words.
func (m *existingMachines) refusedCIDR(ctx context.Context) string {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "cidr-", Namespace: Namespace, Labels: Labels("cidr")},
		Spec:       corev1.ServiceSpec{ClusterIP: "192.0.2.1", Ports: []corev1.ServicePort{{Port: 1}}}, // RFC 5737: nobody's
	}
	_, err := m.cluster.kube.CoreV1().Services(Namespace).Create(ctx, s, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil {
		return ""
	}
	return cidrIn(err.Error())
}

var validIPs = regexp.MustCompile(`range of valid IPs is ([0-9a-fA-F.:]+/[0-9]+)`)

func cidrIn(message string) string {
	if found := validIPs.FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return ""
}

// apiEndpoint is where nodes reach the API server without a Service.
func (m *existingMachines) apiEndpoint(ctx context.Context) (host, port string) {
	slices, err := m.cluster.kube.DiscoveryV1().EndpointSlices(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		LabelSelector: "kubernetes.io/service-name=kubernetes",
	})
	if err != nil {
		return "", ""
	}
	for _, s := range slices.Items {
		if len(s.Endpoints) > 0 && len(s.Endpoints[0].Addresses) > 0 && len(s.Ports) > 0 && s.Ports[0].Port != nil {
			return s.Endpoints[0].Addresses[0], fmt.Sprint(*s.Ports[0].Port)
		}
	}
	return "", ""
}

// uplink finds the interface with the address that the client's node has for
// others.
func (m *existingMachines) uplink(ctx context.Context, nodes []corev1.Node) (name string, mtu int, err error) {
	i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == m.ends[0] })
	address := internalIP(nodes[i])
	netns, err := m.netns(ctx, m.ends[0])
	if err != nil {
		return "", 0, err
	}
	for _, i := range netns.Interfaces {
		for _, a := range i.Addresses {
			if strings.HasPrefix(a, address+"/") {
				return i.Name, i.MTU, nil
			}
		}
	}
	return "", 0, fmt.Errorf("looking for the uplink of %s: no interface has its address %q", m.ends[0], address)
}

func internalIP(n corev1.Node) string {
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return ""
}

func podCIDRs(nodes []corev1.Node) []string {
	var all []string
	for _, n := range nodes {
		if n.Spec.PodCIDR != "" {
			all = append(all, n.Spec.PodCIDR)
		}
	}
	return all
}

// supernet is the smallest network that holds all of several, and is at least
// a /16 of IPv4: the nodes' parts are given out as nodes come, and hold less
// than the whole. It is a guess, and the last one that is made.
func supernet(cidrs []string) string {
	var all netip.Prefix
	for _, c := range cidrs {
		p, err := netip.ParsePrefix(c)
		if err != nil || !p.Addr().Is4() {
			return ""
		}
		if !all.IsValid() {
			all = netip.PrefixFrom(p.Addr(), min(p.Bits(), 16)).Masked()
		}
		for !all.Contains(p.Addr()) {
			all = netip.PrefixFrom(all.Addr(), all.Bits()-1).Masked()
		}
	}
	if !all.IsValid() {
		return ""
	}
	return all.String()
}
