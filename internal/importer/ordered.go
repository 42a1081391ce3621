package importer

import "iter"

// inOrder does n things, several at the same time, and gives their results in
// order. It holds at most 2·workers results. When nobody wants more, what is
// under way ends by itself.
func inOrder[T any](n, workers int, do func(int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		stop := make(chan struct{})
		defer close(stop)
		slots := make(chan struct{}, workers)
		queue := make(chan chan T, workers)
		go func() {
			defer close(queue)
			for i := range n {
				result := make(chan T, 1)
				select {
				case slots <- struct{}{}:
				case <-stop:
					return
				}
				go func() {
					result <- do(i)
					<-slots
				}()
				select {
				case queue <- result:
				case <-stop:
					return
				}
			}
		}()
		for result := range queue {
			if !yield(<-result) {
				return
			}
		}
	}
}
