package scenario

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/stage"
)

const (
	// newPod is the app of pods that only show that pods can start.
	newPod = "new-pod"
	// startsBefore is how many tell what a start takes.
	startsBefore = 3
	// goneTimeout bounds the wait for the end of those that have started.
	goneTimeout = time.Minute
)

// newStart is one new pod from its creation until the API said that it runs.
type newStart struct {
	Created time.Time     `json:"created"`
	Took    time.Duration `json:"tookNs"`
}

// podStarts are those before the event, and those that were under way or
// created from then on.
type podStarts struct {
	Before []newStart `json:"before"`
	After  []newStart `json:"after"`
	Failed string     `json:"failed,omitempty"` // why there are no more
}

// newPods starts pods on a node, one at a time.
type newPods struct {
	*stage.Bench
	node, end string
	count     int
}

// start makes a pod, waits until it runs, and deletes it.
func (n *newPods) start(ctx context.Context) (newStart, error) {
	n.count++
	// A pod of an earlier trial may not be gone yet.
	name := fmt.Sprintf("%s-%s-%d", newPod, strconv.FormatInt(time.Now().UnixMilli(), 36), n.count)
	pod := n.Stage.Pod(name, n.node, n.end, []string{"cnibench-probe", "pause"})
	pod.Labels["app"] = newPod
	s := newStart{Created: time.Now().UTC()}
	_, err := n.Cluster.CreatePods(ctx, []*corev1.Pod{pod}, stage.PodTimeout)
	s.Took = time.Since(s.Created)
	if err != nil {
		return s, err // remove finds it
	}
	return s, n.Cluster.RemovePod(ctx, name)
}

// few starts some and returns them.
func (n *newPods) few(ctx context.Context, count int) ([]newStart, error) {
	var starts []newStart
	for range count {
		s, err := n.start(ctx)
		if err != nil {
			return starts, err
		}
		starts = append(starts, s)
	}
	return starts, nil
}

// starting is pods that are started without a pause.
type starting struct {
	ended  chan struct{} // closed by stop, once
	once   sync.Once
	done   chan struct{} // closed when the fields below are set
	starts []newStart
	err    error
}

// keepStarting starts one after another until it is stopped.
func (n *newPods) keepStarting(ctx context.Context) *starting {
	k := &starting{ended: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(k.done)
		for k.err == nil {
			select {
			case <-k.ended:
				return
			default:
			}
			var s newStart
			if s, k.err = n.start(ctx); k.err == nil {
				k.starts = append(k.starts, s)
			}
		}
	}()
	return k
}

// stop waits for the one that is under way.
func (k *starting) stop() {
	k.once.Do(func() { close(k.ended) })
	<-k.done
}

// since stops, and returns the starts that were not over at a time, and why
// there are no more of them.
func (k *starting) since(at time.Time) (starts []newStart, failed string) {
	k.stop()
	for _, s := range k.starts {
		if s.Created.Add(s.Took).After(at) {
			starts = append(starts, s)
		}
	}
	if k.err != nil {
		failed = k.err.Error()
	}
	return starts, failed
}

// remove takes all of them away, also those of a trial that was given up.
func (n *newPods) remove(ctx context.Context) error {
	return n.Cluster.RemovePods(ctx, "app="+newPod, goneTimeout)
}
