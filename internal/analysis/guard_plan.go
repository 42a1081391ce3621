package analysis

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/cnibench/cnibench/internal/plan"
)

// PlanDifferences names what two plans asked for that was not the same and
// belongs to the surroundings: the shape of the lab, fresh clusters or not, the
// image of the load pods, and for every variant that both have what it is made
// from. Names begin with "plan.".
func PlanDifferences(a, b plan.Plan) []EnvironmentDifference {
	g := guard{}
	g.plans(a, b)
	for _, v := range a.Variants {
		for _, w := range b.Variants {
			if v.Name == w.Name {
				g.arms(v.Name, v, w)
			}
		}
	}
	return g.list()
}

func (g guard) plans(a, b plan.Plan) {
	g.note(Place{}, "plan.freshCluster", strconv.FormatBool(a.FreshCluster), strconv.FormatBool(b.FreshCluster))
	g.note(Place{}, "plan.tools.image", cmp.Or(a.Tools.Image, "the default"), cmp.Or(b.Tools.Image, "the default"))
	if a.Cluster.Lab == nil || b.Cluster.Lab == nil {
		return
	}
	x, y := a.Cluster.Lab, b.Cluster.Lab
	g.note(Place{}, "plan.lab.nodes", fmt.Sprint(x.Nodes), fmt.Sprint(y.Nodes))
	g.note(Place{}, "plan.lab.mtu", fmt.Sprint(x.MTU), fmt.Sprint(y.MTU))
	g.note(Place{}, "plan.lab.kubeProxy", x.KubeProxy, y.KubeProxy)
	g.note(Place{}, "plan.lab.maxPods", fmt.Sprint(x.MaxPods), fmt.Sprint(y.MaxPods))
}

// arms compares what two variants are made from. Under different names that is
// what the comparison is about, but for what belongs to the load.
func (g guard) arms(name string, a, b plan.Variant) {
	where := Place{Variant: name}
	digest := func(table map[string]any) string { return cmp.Or(plan.Variant{Values: table}.ValuesDigest(), "none") }
	g.note(where, "plan.mtu", fmt.Sprint(a.MTU), fmt.Sprint(b.MTU))
	g.note(where, "plan.podTemplate", digest(a.PodTemplate), digest(b.PodTemplate))
	if a.Name != b.Name {
		return
	}
	g.note(where, "plan.entry", a.Entry, b.Entry)
	g.note(where, "plan.values", digest(a.Values), digest(b.Values))
	g.note(where, "plan.definition", cmp.Or(a.Definition, "none"), cmp.Or(b.Definition, "none"))
}
