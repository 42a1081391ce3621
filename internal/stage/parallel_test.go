package stage

import (
	"errors"
	"sync"
	"testing"
)

func TestInParallel(t *testing.T) {
	var mutex sync.Mutex
	done := map[int]int{}
	err := inParallel(100, func(i int) error {
		mutex.Lock()
		defer mutex.Unlock()
		done[i]++
		return nil
	})
	if err != nil || len(done) != 100 {
		t.Errorf("%d of 100 numbers were called, %v", len(done), err)
	}
	broken, calls := errors.New("broken"), 0
	err = inParallel(10_000, func(int) error {
		mutex.Lock()
		defer mutex.Unlock()
		calls++
		return broken
	})
	if !errors.Is(err, broken) || calls == 10_000 {
		t.Errorf("after an error it went on to %d calls: %v", calls, err)
	}
}
