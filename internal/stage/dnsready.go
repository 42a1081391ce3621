package stage

import (
	"bytes"
	"context"
	"fmt"
	"net"

	"github.com/cnibench/cnibench/internal/cluster"
)

// AwaitDNS returns when the cluster's DNS answers a load pod. The pod's own
// search list completes the name, so that the cluster's domain need not be
// known.
func (s *Stage) AwaitDNS(ctx context.Context, client cluster.Pod) error {
	address, missing, err := s.cluster.DNS(ctx)
	if err != nil {
		return err
	}
	if missing != "" {
		return &UnsupportedError{missing}
	}
	argv := []string{probeName, "reach", "dns", net.JoinHostPort(address, "53"), "kubernetes.default.svc"}
	return cluster.Until(ctx, PodTimeout, "the cluster's DNS to answer", func(ctx context.Context) error {
		var stdout, stderr bytes.Buffer
		if err := s.cluster.Exec(ctx, client, argv, nil, &stdout, &stderr); err != nil {
			return fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
		}
		return nil
	})
}
