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
		remove = func() error { return b.Stage.RemoveServices(ctx, count) }
		targets, err = b.Stage.Services(ctx, pair, way, webPort, count)
	}
	if err == nil {
		err = fetch(ctx, b, pair, targets)
	}
	if err != nil {
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
