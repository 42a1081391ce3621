package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	clientexec "k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"
)

// ExitError says that a program ran and ended with a status other than 0.
type ExitError struct {
	Argv []string
	Code int
}

func (e *ExitError) Error() string { return fmt.Sprintf("%q: exit status %d", e.Argv, e.Code) }

// Exec runs a program in a container of a pod, through the API server. The
// program is not killed when ctx ends, but its stdin is closed.
func (c *Cluster) Exec(ctx context.Context, pod Pod, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
	argv = c.pin(pod, argv)
	req := c.kube.CoreV1().RESTClient().Post().Resource("pods").Namespace(pod.Namespace).Name(pod.Name).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{
			Container: pod.Container, Command: argv, Stdin: stdin != nil, Stdout: stdout != nil, Stderr: stderr != nil,
		}, scheme.ParameterCodec)
	web, err := remotecommand.NewWebSocketExecutor(c.config, http.MethodGet, req.URL().String())
	if err != nil {
		return fmt.Errorf("running %q in pod %s: %w", argv, pod.Name, err)
	}
	spdy, err := remotecommand.NewSPDYExecutor(c.config, http.MethodPost, req.URL())
	if err != nil {
		return fmt.Errorf("running %q in pod %s: %w", argv, pod.Name, err)
	}
	executor, err := remotecommand.NewFallbackExecutor(web, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	if err != nil {
		return fmt.Errorf("running %q in pod %s: %w", argv, pod.Name, err)
	}
	err = executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: stdin, Stdout: stdout, Stderr: stderr})
	var exit clientexec.ExitError
	if errors.As(err, &exit) {
		return &ExitError{argv, exit.ExitStatus()}
	}
	if err != nil {
		return fmt.Errorf("running %q in pod %s: %w", argv, pod.Name, err)
	}
	return nil
}
