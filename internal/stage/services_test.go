package stage

import (
	"errors"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestNameOrIP(t *testing.T) {
	svc := &corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.9"}}
	svc.Name, svc.Namespace = serviceName(0), Namespace
	for path, want := range map[string]string{ClusterIP: "10.96.0.9", ServiceName: "web-1.cnibench.svc"} {
		if got := nameOrIP(svc, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

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
