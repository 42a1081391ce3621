package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/stage"
)

// loadServices is the load that consists of new Services.
const loadServices = "services"

// newServices are the Services of one trial.
type newServices struct {
	bench *stage.Bench
	pair  stage.Pair
	set   *stage.ServiceSet
	made  []string // names
	last  string   // address of the last one
	at    time.Time
}

// measureServices samples while Services are created. The last of them must
// carry connections in the end, which shows that somebody did the work.
func measureServices(ctx context.Context, b *stage.Bench, v parameter.Values) (m stage.Measurement, err error) {
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(v))
	if err != nil {
		return stage.Measurement{}, err
	}
	set, err := b.Stage.ServiceSet(ctx, pair, stage.ClusterIP, stage.EchoPort)
	if err != nil {
		return stage.Measurement{}, err
	}
	measured := v.Duration(duration.Name)
	sampling, err := b.StartSampling(ctx, measured, pair.Client, pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	services := &newServices{bench: b, pair: pair, set: set}
	defer func() { err = errors.Join(err, set.Remove(ctx, services.made...)) }()
	count := v.Integer(serviceCount.Name)
	window, err := hold(ctx, v.Duration(omit.Name), measured, func(ctx context.Context) error {
		return services.create(ctx, count, measured)
	})
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := services.carry(ctx); err != nil {
		return stage.Measurement{}, err
	}
	took := time.Since(services.at)
	m, _ = b.MeasureWindow("", window, series)
	m.Facts["services created"] = fmt.Sprint(count)
	m.Facts["last service carried connections within"] = took.Round(time.Millisecond).String()
	return m, nil
}

// create makes the Services, evenly over the time. Where the API is slower it
// takes longer, and so does the window.
func (n *newServices) create(ctx context.Context, count int, over time.Duration) error {
	start := time.Now()
	for i := range count {
		if err := sleep(ctx, time.Until(start.Add(over*time.Duration(i)/time.Duration(count)))); err != nil {
			return err
		}
		n.at = time.Now()
		name := fmt.Sprintf("resources-%d", i+1)
		n.made = append(n.made, name)
		var err error
		if n.last, err = n.set.Create(ctx, name); err != nil {
			return fmt.Errorf("of %d services: %w", count, err)
		}
	}
	return nil
}

// carry returns when the last Service carries connections.
func (n *newServices) carry(ctx context.Context) error {
	return cluster.Until(ctx, stage.PodTimeout, "the last of the new Services to carry connections", func(ctx context.Context) error {
		return cni.Reach(ctx, n.bench.Cluster, n.pair.Client, n.last, stage.EchoPort)
	})
}
