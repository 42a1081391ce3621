package scenario

import (
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// Setting is what is known of a trial's surroundings before anything starts:
// the shape of the cluster, and what the catalog says of the variant.
type Setting struct {
	plan.Shape
	Entry cni.Entry
}

// Foresee says why trials with these parameters are certain to be unsupported,
// in the words of the trials; empty: that is not known, and only a try can
// tell. It looks in the order in which a trial finds out.
func (s Scenario) Foresee(v parameter.Values, at Setting) string {
	if missing := at.Entry.Missing(at.Shape, at.KubeProxy); missing != "" {
		return missing // nothing is installed
	}
	if lacks := s.Requires.Lacking(at.Entry); lacks != "" {
		return lacks
	}
	if s.Requires.Services && !at.Entry.CarriesServices(at.KubeProxy) {
		return stage.NoServices
	}
	if s.Beyond != nil {
		if reason := s.Beyond(v, at); reason != "" {
			return reason
		}
	}
	return at.ends(v)
}

// ends says what is the matter with the ends of a load and the path between
// them, which most scenarios take as parameters.
func (at Setting) ends(v parameter.Values) string {
	family, path := given(v, stage.IPFamily), given(v, stage.Path)
	switch {
	case given(v, stage.AnyClient) == stage.External && !at.Outside:
		return stage.NoOutside
	case at.LacksFamily(family):
		return "pods have " + stage.NoFamily(family)
	case serviceOf(path) && !at.Entry.CarriesServices(at.KubeProxy):
		return stage.NoServices
	case path == stage.LoadBalancer && at.Lab && (at.IPv6Only() || family == stage.IPv6):
		return stage.BalancerIPv4
	}
	return ""
}

// given is a parameter's value; empty where the scenario does not have it.
func given(v parameter.Values, p parameter.Parameter) string {
	if !v.Has(p.Name) {
		return ""
	}
	return v.Text(p.Name)
}

// serviceOf tells whether a path is by the address of a Service, which
// something has to carry.
func serviceOf(path string) bool {
	switch path {
	case stage.ClusterIP, stage.ServiceName, stage.NodePort, stage.LoadBalancer:
		return true
	}
	return false
}

// needsTwo says that something needs two nodes where there is one.
func (at Setting) needsTwo(what string) string {
	if at.Nodes == 1 {
		return stage.OneNode(what)
	}
	return ""
}

// tooMany says that no node takes so many pods.
func (at Setting) tooMany(pods int) string {
	if at.MaxPods == 0 {
		return ""
	}
	return stage.BeyondMaxPods(at.MaxPods, pods)
}
