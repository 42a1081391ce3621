package stage

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
)

const (
	// passingLabel holds together the pods that a trial alone needs: memory of
	// later trials is not to have them in it.
	passingLabel, passingValue = "cnibench.io/until", "end-of-trial"
	// passingTimeout bounds their removal.
	passingTimeout = PodTimeout
)

// passingPod marks a pod as one that ends with its trial. It is marked before it
// is made, so that one that never ran is found, too.
func (s *Stage) passingPod(p *corev1.Pod) *corev1.Pod {
	p.Labels[passingLabel] = passingValue
	s.passing = true
	return p
}

// Dismiss ends the load pods that later trials are not to find: fleets, and
// pairs with something beside them. It returns when the nodes have taken the
// pods' networks down; where ctx has ended it removes them and does not wait for
// that. Those that do not go are tried again the next time. What was noted for
// [Stage.Gone] is forgotten.
func (s *Stage) Dismiss(ctx context.Context) error {
	s.ended = nil
	if !s.passing {
		return nil
	}
	clear(s.fleet)
	clear(s.reached)
	maps.DeleteFunc(s.pairs, func(e Ends, _ Pair) bool { return e.beside() })
	if err := s.cluster.RemovePods(ctx, passingLabel+"="+passingValue, passingTimeout); err != nil {
		return err
	}
	s.passing = false
	return nil
}
