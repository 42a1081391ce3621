package scenario

import (
	"context"
	"errors"
	"slices"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe/web"
	"github.com/cnibench/cnibench/internal/stage"
)

// httpPath has one way more than others: what serves an Ingress speaks HTTP.
var httpPath = func() parameter.Parameter {
	p := stage.Path.With(stage.ClusterIP)
	p.Choices = append(slices.Clone(p.Choices), stage.Ingress)
	return p
}()

var ingressClass = parameter.Parameter{
	Name: "ingress-class", Kind: parameter.Text, Default: []string{stage.DefaultClass}, Word: "default or the name of an IngressClass",
	Help: "IngressClass of path ingress; default: the cluster's default, or its only one",
}

// ingressPort is where a controller takes what is asked of an Ingress without
// TLS.
const ingressPort = 80

// throughIngress makes an Ingress to our server, which has then answered
// through it.
func throughIngress(ctx context.Context, b *stage.Bench, pair stage.Pair, v parameter.Values) (goal httpGoal, remove func() error, err error) {
	e, remove, err := b.Stage.Entrance(ctx, pair, v.Text(ingressClass.Name), webPort)
	if err != nil {
		return httpGoal{}, nil, err
	}
	goal = httpGoal{hosts: []string{stage.Address{Host: e.Address}.HostPort(ingressPort)}, header: e.Host, facts: map[string]string{
		"ingress class": e.Class + ", controller " + e.Controller, "ingress address": e.Address, "host": e.Host,
	}}
	err = fetch(ctx, b, pair, web.FetchSpec{Targets: goal.hosts, Host: e.Host, Timeout: stage.IngressAnswer})
	if err != nil {
		return httpGoal{}, nil, errors.Join(err, remove())
	}
	return goal, remove, nil
}

// beyondHTTP knows that nobody puts a controller into a lab.
func beyondHTTP(v parameter.Values, at Setting) string {
	if at.Lab && v.Text(httpPath.Name) == stage.Ingress {
		return stage.NoIngressClass
	}
	return ""
}
