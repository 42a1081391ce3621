package stage

import (
	"errors"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// classOf is an IngressClass, the cluster's default where its name begins
// with an asterisk.
func classOf(name string) networkingv1.IngressClass {
	own, byDefault := strings.CutPrefix(name, "*")
	c := networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: own}}
	if byDefault {
		c.Annotations = map[string]string{networkingv1.AnnotationIsDefaultIngressClass: "true"}
	}
	return c
}

func TestChooseClass(t *testing.T) {
	for _, tt := range []struct{ classes, name, want, reason string }{
		{"", DefaultClass, "", NoIngressClass},
		{"", "nginx", "", NoIngressClass},
		{"nginx", DefaultClass, "nginx", ""},
		{"nginx *traefik", DefaultClass, "traefik", ""},
		{"nginx *traefik", "nginx", "nginx", ""},
		{"traefik nginx", DefaultClass, "", "several IngressClasses and none is its default: ingress-class names one of nginx, traefik"},
		{"traefik nginx", "haproxy", "", "no IngressClass haproxy; it has nginx, traefik"},
	} {
		var classes []networkingv1.IngressClass
		for _, name := range strings.Fields(tt.classes) {
			classes = append(classes, classOf(name))
		}
		got, err := chooseClass(classes, tt.name)
		var unsupported *UnsupportedError
		if tt.reason == "" {
			if err != nil || got.Name != tt.want {
				t.Errorf("%s of %q: %q, %v; want %q", tt.name, tt.classes, got.Name, err, tt.want)
			}
		} else if !errors.As(err, &unsupported) || !strings.HasSuffix(unsupported.Reason, tt.reason) {
			t.Errorf("%s of %q: %v, want %q", tt.name, tt.classes, err, tt.reason)
		}
	}
}

func TestIngressAddress(t *testing.T) {
	for name, tt := range map[string]struct {
		entries []networkingv1.IngressLoadBalancerIngress
		want    string
	}{
		"none":       {nil, ""},
		"address":    {[]networkingv1.IngressLoadBalancerIngress{{IP: "192.0.2.7"}, {IP: "192.0.2.8"}}, "192.0.2.7"},
		"name":       {[]networkingv1.IngressLoadBalancerIngress{{Hostname: "lb.example.com"}}, "lb.example.com"},
		"only ports": {[]networkingv1.IngressLoadBalancerIngress{{}, {IP: "192.0.2.8"}}, "192.0.2.8"},
	} {
		status := networkingv1.IngressStatus{LoadBalancer: networkingv1.IngressLoadBalancerStatus{Ingress: tt.entries}}
		if got := addressIn(status); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// The Ingress leads its own host, whatever the path, to the Service of its
// name.
func TestDescribeIngress(t *testing.T) {
	i := describeIngress("web-abc", "nginx", 5280)
	if *i.Spec.IngressClassName != "nginx" || len(i.Spec.Rules) != 1 || i.Spec.Rules[0].Host != "web-abc.cnibench.internal" {
		t.Fatalf("%+v", i.Spec)
	}
	path := i.Spec.Rules[0].HTTP.Paths[0]
	if path.Path != "/" || *path.PathType != networkingv1.PathTypePrefix || path.Backend.Service.Name != "web-abc" || path.Backend.Service.Port.Number != 5280 {
		t.Errorf("%+v", path)
	}
	svc := ingressService("server-pod-cross-node", 5280)
	if svc.Spec.Selector["app"] != "server-pod-cross-node" || svc.Spec.Ports[0].Port != 5280 || svc.Labels["app"] != i.Labels["app"] {
		t.Errorf("%+v", svc)
	}
}
