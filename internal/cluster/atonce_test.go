package cluster

import (
	"errors"
	"sync"
	"testing"
)

func TestAtOnce(t *testing.T) {
	var mutex sync.Mutex
	done, under, most := map[int]int{}, 0, 0
	err := AtOnce(4, 100, func(i int) error {
		mutex.Lock()
		done[i]++
		under++
		most = max(most, under)
		mutex.Unlock()
		defer func() {
			mutex.Lock()
			defer mutex.Unlock()
			under--
		}()
		return nil
	})
	if err != nil || len(done) != 100 || most > 4 {
		t.Errorf("%d of 100 numbers were called, %d at a time, %v", len(done), most, err)
	}
	if err := AtOnce(4, 0, nil); err != nil {
		t.Errorf("of none: %v", err)
	}
}

func TestAtOnceEndsAfterAFailure(t *testing.T) {
	broken, calls := errors.New("broken"), 0
	err := AtOnce(1, 1000, func(int) error {
		calls++
		return broken
	})
	if !errors.Is(err, broken) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}
