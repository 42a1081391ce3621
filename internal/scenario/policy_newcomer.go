package scenario

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/stage"
)

const (
	// newcomer is the app of clients that come when the policy is there.
	newcomer = "newcomer"
	// newcomerReport is where their program writes what it saw.
	newcomerReport = "/tmp/watch"
)

// policyFirst creates a client again and again, with the policy in effect.
func (e *policyEnforcement) policyFirst(ctx context.Context) ([]policyRepeat, error) {
	made, err := e.policy()
	if err != nil {
		return nil, err
	}
	called, err := e.apply(ctx, made)
	if err != nil {
		return nil, err
	}
	if _, err := e.watcher.mustSettle("before a new client comes", awaitAll(e.allow, allowProbe)); err != nil {
		return nil, err
	}
	// A pod of an earlier trial may not be gone yet.
	trial := strconv.FormatInt(time.Now().UnixMilli(), 36)
	var repeats []policyRepeat
	for i := range e.cell.Parameters.Integer(policyRepeats.Name) {
		watched, err := e.welcome(ctx, fmt.Sprintf("%s-%s-%d", newcomer, trial, i+1))
		if err != nil {
			return repeats, err
		}
		repeats = append(repeats, newPolicyRepeat(watched.Attempts[allowProbe], 0, called, e.allow, true))
	}
	return repeats, nil
}

// welcome makes a pod whose only program is a watch, and returns what it saw
// from its first moment on.
func (e *policyEnforcement) welcome(ctx context.Context, name string) (watched probe.Watched, err error) {
	spec, wanted := e.spec(), e.await()
	spec.Await = &wanted
	text, err := json.Marshal(spec)
	if err != nil {
		return watched, err
	}
	pod := e.Stage.Pod(name, e.pair.Client.Node, stage.InPod, []string{"cnibench-probe", "watch", "--spec", string(text), "--report", newcomerReport})
	pod.Labels["app"] = newcomer
	defer func() { err = errors.Join(err, e.dismiss(ctx, name)) }()
	pods, err := e.Cluster.CreatePods(ctx, []*corev1.Pod{pod}, stage.PodTimeout)
	if err != nil {
		return watched, err
	}
	return e.readReport(ctx, pods[0], wanted.Limit+stage.PodTimeout)
}

// readReport waits until the newcomer has seen what it awaits, or its limit.
func (e *policyEnforcement) readReport(ctx context.Context, pod cluster.Pod, limit time.Duration) (watched probe.Watched, err error) {
	argv := []string{"cnibench-probe", "watch", "--read", newcomerReport, "--limit", limit.String()}
	var stdout, stderr bytes.Buffer
	if err := e.Cluster.Exec(ctx, pod, argv, nil, &stdout, &stderr); err != nil {
		return watched, fmt.Errorf("reading what %s saw: %w: %s", pod.Name, err, bytes.TrimSpace(stderr.Bytes()))
	}
	kind, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	if err == nil && kind != probe.FrameWatched {
		err = fmt.Errorf("it is a frame of kind %s", kind)
	}
	if err == nil {
		err = json.Unmarshal(payload, &watched)
	}
	if err != nil {
		return watched, fmt.Errorf("reading what %s saw: %w", pod.Name, err)
	}
	return watched, nil
}

// dismiss ends a newcomer. Nobody waits for its end: the next one has another
// name.
func (e *policyEnforcement) dismiss(ctx context.Context, name string) error {
	return e.Cluster.RemovePod(context.WithoutCancel(ctx), name)
}
