package scenario

import (
	"context"
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/web"
	"github.com/cnibench/cnibench/internal/stage"
)

// httpGoal is where requests go: to our server, or to a target.
type httpGoal struct {
	hosts  []string          // HOST:PORT, asked in turn
	header string            // Host; empty: that of the URL
	facts  map[string]string // of how our server is reached; nil: the parameters say it
	target *plan.Target      // instead of all that; nil: our server
}

// toHosts is a goal of addresses of our server.
func toHosts(hosts ...string) httpGoal { return httpGoal{hosts: hosts} }

// ownGoal returns where the client reaches our web server; each address has
// answered. remove takes back what was made for this trial alone: many Services
// cost every later trial, and an Ingress its controller.
func ownGoal(ctx context.Context, b *stage.Bench, pair stage.Pair, v parameter.Values) (goal httpGoal, remove func() error, err error) {
	way, count := v.Text(stage.Path.Name), v.Integer("services")
	if way == stage.Ingress {
		return throughIngress(ctx, b, pair, v)
	}
	remove = func() error { return nil }
	if count == 1 {
		address, err := b.Stage.Address(ctx, pair, way, stage.Ports{First: webPort, Count: 1})
		if err != nil {
			return httpGoal{}, nil, err
		}
		goal = toHosts(address.HostPort(webPort))
	} else {
		set, err := b.Stage.ServiceSet(ctx, pair, way, webPort)
		if err != nil {
			return httpGoal{}, nil, err
		}
		names := make([]string, count)
		for i := range names {
			names[i] = fmt.Sprintf("web-%d", i+1)
		}
		remove = func() error { return set.Remove(ctx, names...) }
		hosts, err := set.CreateAll(ctx, names, nil)
		if err != nil {
			return httpGoal{}, nil, errors.Join(err, remove())
		}
		for _, host := range hosts {
			goal.hosts = append(goal.hosts, stage.Address{Host: host}.HostPort(webPort))
		}
	}
	if err := fetch(ctx, b, pair, web.FetchSpec{Targets: goal.hosts, Timeout: stage.PodTimeout}); err != nil {
		return httpGoal{}, nil, errors.Join(err, remove())
	}
	return goal, remove, nil
}

// httpMisfit refuses many Services on a path that has one, a class of what is
// no Ingress, and what does not go with a target.
func httpMisfit(v parameter.Values) (problem, remedy string) {
	if v.Text(httpTargetName.Name) != httpTargetName.Default[0] {
		return targetMisfit(v)
	}
	way, count := v.Text(stage.Path.Name), v.Integer("services")
	if class := v.Text(ingressClass.Name); class != stage.DefaultClass && way != stage.Ingress {
		return fmt.Sprintf("ingress-class %s is of an Ingress, and path is %s", class, way), "write path: ingress, or leave ingress-class out"
	}
	if count == 1 || way == stage.ClusterIP || way == stage.ServiceName {
		return "", ""
	}
	return fmt.Sprintf("%d Services are not addressed by path %s", count, way), "write path: cluster-ip or path: service-name"
}
