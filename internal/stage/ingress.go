package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/cnibench/cnibench/internal/cluster"
)

// Ingress is the path by an Ingress: a scenario that takes it adds it to the
// choices of Path.
const Ingress = "ingress"

// DefaultClass stands for the cluster's default IngressClass, or its only one.
const DefaultClass = "default"

// NoIngressClass is why a cluster has no path by an Ingress.
const NoIngressClass = "the cluster has no IngressClass: no controller would serve an Ingress"

const (
	// ingressTimeout bounds the wait for a controller to give an Ingress its
	// address. With the wait for its first answer it has to end within the three
	// minutes that a trial has beyond its load.
	ingressTimeout = 100 * time.Second
	// IngressAnswer bounds the wait for the first answer through an Ingress that
	// has its address: controllers take seconds to configure themselves.
	IngressAnswer = 45 * time.Second
	// ingressLabel is the value of the label "app" of what an Ingress needs.
	ingressLabel = "ingress"
	// ingressDomain is one that no public DNS has.
	ingressDomain = "cnibench.internal"
)

// Entrance is where a client gets to a server through an Ingress.
type Entrance struct {
	Address string // IP address or name of what the controller listens on, at port 80
	Host    string // the header by which the controller knows the Ingress
	Class   string // of the Ingress
	// Controller is what the class says of who serves it, such as
	// traefik.io/ingress-controller.
	Controller string
}

// Entrance makes an Ingress of a class that leads to a port of the pair's
// server, and waits until its controller has given it an address. DefaultClass
// stands for the cluster's default. remove takes back what was made, also when
// ctx has ended. A cluster in which nobody serves the class is an
// [*UnsupportedError].
func (s *Stage) Entrance(ctx context.Context, pair Pair, class string, port int) (e Entrance, remove func() error, err error) {
	chosen, err := s.ingressClass(ctx, class)
	if err != nil {
		return Entrance{}, nil, err
	}
	if why := s.unserved[chosen.Name]; why != "" {
		return Entrance{}, nil, &UnsupportedError{why}
	}
	if err := s.clearIngress(ctx); err != nil { // what an interrupted trial left
		return Entrance{}, nil, err
	}
	remove = func() error { return s.clearIngress(ctx) }
	e = Entrance{Class: chosen.Name, Controller: chosen.Spec.Controller}
	name, err := s.makeIngress(ctx, pair.Server.Name, chosen.Name, port)
	if err == nil {
		e.Host = ingressHost(name)
		e.Address, err = s.ingressAddress(ctx, name, chosen)
	}
	if err != nil {
		return Entrance{}, nil, errors.Join(err, remove())
	}
	return e, remove, nil
}

// ingressClass looks the class up.
func (s *Stage) ingressClass(ctx context.Context, name string) (networkingv1.IngressClass, error) {
	list, err := s.cluster.Kube().NetworkingV1().IngressClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return networkingv1.IngressClass{}, fmt.Errorf("listing IngressClasses: %w", err)
	}
	return chooseClass(list.Items, name)
}

// chooseClass finds a class by its name, or the default one, or the only one.
func chooseClass(classes []networkingv1.IngressClass, name string) (networkingv1.IngressClass, error) {
	if len(classes) == 0 {
		return networkingv1.IngressClass{}, &UnsupportedError{NoIngressClass}
	}
	var names []string
	for _, c := range classes {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	has := strings.Join(names, ", ")
	wanted := func(c networkingv1.IngressClass) bool { return c.Name == name }
	if name == DefaultClass {
		if len(classes) == 1 {
			return classes[0], nil
		}
		wanted = func(c networkingv1.IngressClass) bool {
			return c.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true"
		}
	}
	if i := slices.IndexFunc(classes, wanted); i >= 0 {
		return classes[i], nil
	}
	if name == DefaultClass {
		return networkingv1.IngressClass{}, &UnsupportedError{"the cluster has several IngressClasses and none is its default: ingress-class names one of " + has}
	}
	return networkingv1.IngressClass{}, &UnsupportedError{fmt.Sprintf("the cluster has no IngressClass %s; it has %s", name, has)}
}

// ingressHost is the host name of an Ingress.
func ingressHost(name string) string { return name + "." + ingressDomain }

// makeIngress makes a Service in front of a server and the Ingress to it, and
// returns the name of both, which nothing else has had.
func (s *Stage) makeIngress(ctx context.Context, server, class string, port int) (string, error) {
	svc, err := s.cluster.Kube().CoreV1().Services(Namespace).Create(ctx, ingressService(server, port), metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("making a service for an Ingress: %w", err)
	}
	_, err = s.cluster.Kube().NetworkingV1().Ingresses(Namespace).Create(ctx, describeIngress(svc.Name, class, port), metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("making Ingress %s of class %s: %w", svc.Name, class, err)
	}
	return svc.Name, nil
}

func ingressService(server string, port int) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "web-", Namespace: Namespace, Labels: labels(ingressLabel)},
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": server},
			Ports:    []corev1.ServicePort{{Name: "http", Port: int32(port), TargetPort: intstr.FromInt(port), Protocol: corev1.ProtocolTCP}},
		},
	}
}

// describeIngress leads every path of a host of its own to the Service of its
// name.
func describeIngress(name, class string, port int) *networkingv1.Ingress {
	prefix := networkingv1.PathTypePrefix
	return &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: labels(ingressLabel)},
		Spec: networkingv1.IngressSpec{
			IngressClassName: &class,
			Rules: []networkingv1.IngressRule{{
				Host: ingressHost(name),
				IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
					Path: "/", PathType: &prefix,
					Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
						Name: name, Port: networkingv1.ServiceBackendPort{Number: int32(port)},
					}},
				}}}},
			}},
		},
	}
}

// ingressAddress waits for the controller's answer in the Ingress's status.
// Who gave none in time gives the next Ingress none.
func (s *Stage) ingressAddress(ctx context.Context, name string, class networkingv1.IngressClass) (string, error) {
	var address string
	err := cluster.Until(ctx, ingressTimeout, "an address for Ingress "+name, func(ctx context.Context) error {
		now, err := s.cluster.Kube().NetworkingV1().Ingresses(Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if address = addressIn(now.Status); address == "" {
			return errNoAddress
		}
		return nil
	})
	if errors.Is(err, errNoAddress) && ctx.Err() == nil {
		why := fmt.Sprintf("nobody serves IngressClass %s, whose controller is to be %s: %v", class.Name, class.Spec.Controller, err)
		if s.unserved == nil {
			s.unserved = map[string]string{}
		}
		s.unserved[class.Name] = why
		return "", &UnsupportedError{why}
	}
	return address, err
}

// addressIn is an address of an Ingress, or the name of it; empty for none.
func addressIn(status networkingv1.IngressStatus) string {
	for _, i := range status.LoadBalancer.Ingress {
		if i.IP != "" {
			return i.IP
		}
		if i.Hostname != "" {
			return i.Hostname
		}
	}
	return ""
}

// clearIngress removes all Ingresses of ours and their Services, also after an
// interrupt.
func (s *Stage) clearIngress(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTimeout)
	defer cancel()
	kube, which := s.cluster.Kube(), metav1.ListOptions{LabelSelector: "app=" + ingressLabel}
	if err := s.cluster.RemoveIngresses(ctx, which.LabelSelector); err != nil {
		return err
	}
	services, err := kube.CoreV1().Services(Namespace).List(ctx, which)
	if err != nil {
		return fmt.Errorf("listing services: %w", err)
	}
	for _, svc := range services.Items {
		if err := s.removeService(ctx, svc.Name); err != nil {
			return err
		}
	}
	return nil
}
