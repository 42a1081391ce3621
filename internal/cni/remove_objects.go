package cni

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/cluster"
)

// removeCustomResources deletes, while their controllers are alive to clean up
// after them, the objects that the installation made and those with finalizers.
// Others go with their definitions, which is much faster.
func (r *remover) removeCustomResources(ctx context.Context) error {
	definitions, err := r.cluster.Definitions(ctx, r.inv.Leaves.CRDs)
	if err != nil {
		return err
	}
	var doomed []cluster.Object
	for _, d := range definitions {
		if r.keeps(d.Object()) {
			continue
		}
		resources, err := r.cluster.CustomResources(ctx, d)
		if err != nil {
			return err
		}
		for _, one := range resources {
			if len(one.Finalizers) > 0 || slices.Contains(r.inv.Objects, one.Object) {
				doomed = append(doomed, one.Object)
			}
		}
	}
	// What was made last depends on what was made before.
	slices.SortStableFunc(doomed, func(a, b cluster.Object) int {
		return slices.Index(r.inv.Objects, b) - slices.Index(r.inv.Objects, a)
	})
	for _, o := range doomed {
		if err := r.cluster.Delete(ctx, o); err != nil {
			return err
		}
	}
	err = r.awaitGone(ctx, doomed)
	if err == nil || ctx.Err() != nil {
		return err
	}
	r.report("their controller does not release custom resources of " + r.inv.Variant + ": doing it")
	for _, o := range doomed {
		if err := r.cluster.ReleaseFinalizers(ctx, o); err != nil {
			return err
		}
	}
	return r.awaitGone(ctx, doomed)
}

func (r *remover) awaitGone(ctx context.Context, objects []cluster.Object) error {
	if len(objects) == 0 {
		return nil
	}
	return cluster.Until(ctx, finalizerTimeout, "custom resources to end", func(ctx context.Context) error {
		for _, o := range objects {
			there, err := r.cluster.Exists(ctx, o)
			if err != nil {
				return err
			}
			if there {
				return errors.New(o.String() + " is still there")
			}
		}
		return nil
	})
}

// removeDefinitions deletes the definitions that came with the plugin and those
// that it registered itself, now that nobody makes objects of them any more.
func (r *remover) removeDefinitions(ctx context.Context) error {
	doomed, err := r.definitions(ctx)
	if err != nil {
		return err
	}
	for _, o := range doomed {
		if err := r.cluster.Delete(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (r *remover) definitions(ctx context.Context) ([]cluster.Object, error) {
	all, err := r.cluster.Definitions(ctx, r.inv.Leaves.CRDs)
	var doomed []cluster.Object
	for _, d := range all {
		if o := d.Object(); !r.keeps(o) {
			doomed = append(doomed, o)
		}
	}
	return doomed, err
}

// awaitObjectsGone looks whether everything that was deleted is gone.
func (r *remover) awaitObjectsGone(ctx context.Context) error {
	r.report("waiting for the objects of " + r.inv.Variant + " to end")
	left := slices.DeleteFunc(slices.Clone(r.inv.Objects), r.keeps)
	err := cluster.Until(ctx, endTimeout, "objects of "+r.inv.Variant+" to end", func(ctx context.Context) error {
		for len(left) > 0 {
			there, err := r.cluster.Exists(ctx, left[0])
			if err != nil {
				return err
			}
			if there {
				return fmt.Errorf("%s is still there", left[0])
			}
			left = left[1:]
		}
		definitions, err := r.definitions(ctx)
		if len(definitions) > 0 {
			return fmt.Errorf("%s is still there", definitions[0])
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		r.Remains[clusterKey] = append(r.Remains[clusterKey], err.Error())
		return nil
	}
	return err
}
