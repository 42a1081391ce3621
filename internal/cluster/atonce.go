package cluster

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// AtOnce calls do for every number below count, in order and at most limit of
// them at a time, and returns the first error, after which it begins no more.
func AtOnce(limit, count int, do func(i int) error) error {
	all, ctx := errgroup.WithContext(context.Background())
	all.SetLimit(limit)
	for i := range count {
		all.Go(func() error {
			if ctx.Err() != nil {
				return nil // another one's error is returned
			}
			return do(i)
		})
	}
	return all.Wait()
}
