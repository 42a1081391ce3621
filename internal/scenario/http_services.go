package scenario

import (
	"context"
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/stage"
)

// httpTargets returns the addresses, HOST:PORT, under which the client reaches
// the web server; each has answered. remove takes back what was made for this
// trial alone: many Services cost every later trial.
func httpTargets(ctx context.Context, b *stage.Bench, pair stage.Pair, v parameter.Values) (targets []string, remove func() error, err error) {
	way, count := v.Text(stage.Path.Name), v.Integer("services")
	remove = func() error { return nil }
	if count == 1 {
		address, err := b.Stage.Address(ctx, pair, way, stage.Ports{First: webPort, Count: 1})
		if err != nil {
			return nil, nil, err
		}
		targets = []string{address.HostPort(webPort)}
	} else {
		set, err := b.Stage.ServiceSet(ctx, pair, way, webPort)
		if err != nil {
			return nil, nil, err
		}
		names := make([]string, count)
		for i := range names {
			names[i] = fmt.Sprintf("web-%d", i+1)
		}
		remove = func() error { return set.Remove(ctx, names...) }
		hosts, err := set.CreateAll(ctx, names, nil)
		if err != nil {
			return nil, nil, errors.Join(err, remove())
		}
		for _, host := range hosts {
			targets = append(targets, stage.Address{Host: host}.HostPort(webPort))
		}
	}
	if err := fetch(ctx, b, pair, targets); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return targets, remove, nil
}

// httpMisfit refuses many Services on a path that has one.
func httpMisfit(v parameter.Values) (problem, remedy string) {
	way, count := v.Text(stage.Path.Name), v.Integer("services")
	if count == 1 || way == stage.ClusterIP || way == stage.ServiceName {
		return "", ""
	}
	return fmt.Sprintf("%d Services are not addressed by path %s", count, way), "write path: cluster-ip or path: service-name"
}
