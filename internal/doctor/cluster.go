package doctor

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

var clusterChecks = []Check{
	{
		ID: "pods.path", Title: "pods start on both nodes and reach each other", Worst: Unfit, Kinds: clusters, judge: oneFinding(podsReach),
		Why: "this is the path that is measured",
	},
	{
		ID: "pods.foreign", Title: "no other workloads on the nodes that carry load", Worst: Unfit, Kinds: clusters, judge: foreignPods,
		Why: "their traffic and CPU are measured along, at times of their own; `cnibench run` refuses unless allowForeign is set",
	},
	{
		ID: "cluster.pods", Title: "the cluster's own pods are well", Worst: Warning, Kinds: clusters, judge: systemPods,
		Why: "what crashes and restarts in kube-system takes CPU and may carry Services or names",
	},
	{
		ID: "policy.blocking", Title: "no policy is in the way of the test", Worst: Unfit, Kinds: clusters, judge: blocking,
		Why: "a policy that isolates the load pods refuses the test's connections, where the plugin enforces it",
	},
	{
		ID: "service.endpoints", Title: "Services have endpoints", Worst: Warning, Kinds: clusters, judge: endpoints,
		Why: "a Service without ready endpoints refuses connections: its selector or its pods are wrong",
	},
	{
		ID: "service.path", Title: "a Service leads to its pod", Worst: Unfit, Kinds: clusters, judge: oneFinding(servicePath),
		Why: "half of the scenarios go through a Service; what does not carry one cannot be measured with it",
	},
	{
		ID: "dns.answers", Title: "the cluster's DNS answers", Worst: Unfit, Kinds: clusters, judge: oneFinding(dnsAnswers),
		Why: "scenarios by name need it, and a DNS that fails is often the first sign of a plugin that fails",
	},
}

func podsReach(s Snapshot) Finding {
	p := s.PodPath
	switch {
	case p == nil:
		return unknown("", s.Missing[PartPodPath])
	case !p.Reached:
		return found(Unfit, p.From+" to "+p.To, p.Why, "kubectl -n cnibench get pods -o wide; kubectl -n cnibench get events; see cni.agents, policy.blocking and mtu.path")
	}
	return ok("", "%s to %s", p.From, p.To)
}

func foreignPods(s Snapshot) []Finding {
	if why := s.Missing[PartPods]; why != "" {
		return []Finding{unknown("", why)}
	}
	var findings []Finding
	for _, p := range s.Pods {
		if !p.Foreign {
			continue
		}
		severity := Unfit
		if s.AllowForeign {
			severity = Warning
		}
		findings = append(findings, found(severity, p.At(), "a workload that is neither the cluster's nor its plugin's",
			"kubectl drain "+p.Node+" --ignore-daemonsets, choose other nodes (nodes: {client, server}), or say allowForeign: true and live with its noise"))
	}
	if len(findings) == 0 {
		return []Finding{ok("", "none")}
	}
	return findings
}

func systemPods(s Snapshot) []Finding {
	if why := s.Missing[PartPods]; why != "" {
		return []Finding{unknown("", why)}
	}
	var findings []Finding
	n := 0
	for _, p := range s.Pods {
		if !p.System || p.Agent {
			continue
		}
		n++
		if !p.Ready {
			findings = append(findings, found(Warning, p.At(), "not ready: "+firstReason(p.State, "its status does not say why"), fmt.Sprintf("kubectl -n %s describe pod %s", p.Namespace, p.Name)))
		} else if p.Restarts > 0 {
			findings = append(findings, found(Info, p.At(), prose.Plural(p.Restarts, "restart"), fmt.Sprintf("kubectl -n %s logs %s --previous", p.Namespace, p.Name)))
		}
	}
	if len(findings) == 0 {
		return []Finding{ok("", "%s in kube-system", prose.Plural(n, "pod"))}
	}
	return findings
}

func blocking(s Snapshot) []Finding {
	var findings []Finding
	for _, p := range s.Policies {
		var directions []string
		if p.Ingress {
			directions = append(directions, "ingress")
		}
		if p.Egress {
			directions = append(directions, "egress")
		}
		if len(directions) == 0 {
			continue
		}
		name := strings.TrimPrefix(p.Namespace+"/"+p.Name, "/")
		evidence := fmt.Sprintf("%s %s isolates the load pods (%s) with %s", p.Kind, name, strings.Join(directions, " and "), prose.Plural(p.Rules, "rule"))
		if p.Rules == 0 {
			evidence = fmt.Sprintf("%s %s denies the load pods all %s", p.Kind, name, strings.Join(directions, " and "))
		}
		severity := Unfit
		if s.PodPath != nil && s.PodPath.Reached {
			severity = Warning
			evidence += "; the probe's connections passed, so that the plugin does not enforce it or a rule allows them"
		}
		findings = append(findings, found(severity, name, evidence, deletion(p)))
	}
	if why := s.Missing[PartPolicies]; why != "" { // of some kind; others may be known
		return append(findings, unknown("", why))
	}
	if len(findings) == 0 {
		return []Finding{ok("", "none isolates the load pods")}
	}
	return findings
}

func deletion(p Policy) string {
	in := ""
	if p.Namespace != "" {
		in = " -n " + p.Namespace
	}
	return fmt.Sprintf("kubectl%s delete %s %s, or allow all traffic between pods of the namespace cnibench", in, strings.ToLower(p.Kind), p.Name)
}

func endpoints(s Snapshot) []Finding {
	if why := s.Missing[PartServices]; why != "" {
		return []Finding{unknown("", why)}
	}
	var findings []Finding
	for _, v := range s.Services {
		name := v.Namespace + "/" + v.Name
		switch {
		case v.Ready == 0:
			findings = append(findings, found(Warning, name, fmt.Sprintf("no endpoint is ready, %d are not", v.NotReady),
				fmt.Sprintf("kubectl -n %s get service %s -o yaml; kubectl -n %s get pods --show-labels: do selector and labels agree?", v.Namespace, v.Name, v.Namespace)))
		case v.NotReady > 0:
			findings = append(findings, found(Info, name, fmt.Sprintf("%d endpoints are ready, %d are not", v.Ready, v.NotReady), "kubectl -n "+v.Namespace+" get pods"))
		}
	}
	if len(findings) == 0 {
		return []Finding{ok("", "%s with ready endpoints", prose.Plural(len(s.Services), "Service"))}
	}
	return findings
}

func servicePath(s Snapshot) Finding {
	a := s.Service
	switch {
	case a == nil:
		return unknown("", s.Missing[PartService])
	case !a.Done && s.Profile.Given && !s.Profile.Services:
		return found(Warning, a.What, a.Why, firstReason(a.Fix, "see service.endpoints and proxy.rules"))
	case !a.Done:
		return found(Unfit, a.What, a.Why, firstReason(a.Fix, "kubectl -n kube-system get pods (kube-proxy?); see service.endpoints and proxy.rules"))
	}
	return ok("", "%s", a.What)
}

func dnsAnswers(s Snapshot) Finding {
	d := s.DNS
	needed := s.Profile.Given && s.Profile.DNS
	switch {
	case d == nil:
		return unknown("", s.Missing[PartDNS])
	case d.Absent != "" && needed && s.Kind == Cluster:
		return found(Unfit, "", d.Absent, "install CoreDNS, or leave scenarios out that use names")
	case d.Absent != "":
		return found(Info, "", d.Absent, "needed for scenarios that use names only; `cnibench run` gives labs a DNS when it is")
	case !d.Answers && needed:
		return found(Unfit, d.Address, d.Why, "kubectl -n kube-system get pods -l k8s-app=kube-dns; see service.endpoints")
	case !d.Answers:
		return found(Warning, d.Address, d.Why, "kubectl -n kube-system get pods -l k8s-app=kube-dns; see service.endpoints")
	}
	return ok(d.Address, "it answers")
}
