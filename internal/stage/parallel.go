package stage

import "sync"

// requestsAtOnce is how many requests the API gets at once.
const requestsAtOnce = 16

// inParallel calls do for every number below count, some at once, and returns
// the first error, after which it begins no more.
func inParallel(count int, do func(i int) error) error {
	var next, failed = make(chan int), make(chan error, 1)
	var all sync.WaitGroup
	for range min(count, requestsAtOnce) {
		all.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		})
	}
	var err error
	for i := 0; i < count && err == nil; i++ {
		select {
		case next <- i:
		case err = <-failed:
		}
	}
	close(next)
	all.Wait()
	if err == nil {
		select {
		case err = <-failed:
		default:
		}
	}
	return err
}
