package lab

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	apiPoll = 50 * time.Millisecond
	// apiTimeout leaves room for machines under pure emulation, where the API
	// server takes half a minute alone and minutes beside other work.
	apiTimeout = 6 * time.Minute
)

// apiClient asks the few questions that a starting lab has; everything else
// about Kubernetes is package cluster's.
type apiClient struct {
	base string
	http *http.Client
}

func newAPIClient(port int, c credentials) (apiClient, error) {
	pair, err := tls.X509KeyPair(c.admin.Cert, c.admin.Key)
	if err != nil {
		return apiClient{}, fmt.Errorf("loading the admin certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.ca.Cert)
	transport := &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots}}
	return apiClient{fmt.Sprintf("https://127.0.0.1:%d", port), &http.Client{Transport: transport, Timeout: 5 * time.Second}}, nil
}

func (a apiClient) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := a.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // only read from
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, strings.TrimSpace(string(body)))
	}
	return body, err
}

// awaitAPI returns when the API server has finished its start-up work.
func (l *Lab) awaitAPI(ctx context.Context, api apiClient) error {
	return l.poll(ctx, "the API server", "kube-apiserver", func() error {
		_, err := api.get(ctx, "/readyz")
		return err
	})
}

// awaitNodes returns when every worker's kubelet has registered.
func (l *Lab) awaitNodes(ctx context.Context, api apiClient) error {
	return l.poll(ctx, "the nodes", "", func() error {
		body, err := api.get(ctx, "/api/v1/nodes")
		if err != nil {
			return err
		}
		var list struct{ Items []struct{} }
		if err := json.Unmarshal(body, &list); err != nil {
			return err
		}
		if len(list.Items) < l.record.Config.Nodes {
			return fmt.Errorf("%d of %d registered", len(list.Items), l.record.Config.Nodes)
		}
		return nil
	})
}

// poll repeats ready until it succeeds. A service of the control plane that is
// named is quoted if it does not.
func (l *Lab) poll(ctx context.Context, what, service string, ready func() error) error {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-time.After(apiPoll):
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
			err = fmt.Errorf("waiting for %s for %s: %w", what, apiTimeout, err)
			if service != "" {
				err = fmt.Errorf("%w; its log ends: %s", err, lastLine(l.ServiceLog(controlPlane, service)))
			}
			return err
		}
		if !l.record.Supervisor.Alive() {
			return fmt.Errorf("the lab ended: %s", lastLine(l.Dir()+"/supervisor.log"))
		}
	}
}

// Kubeconfig returns the configuration that works from the machine.
func (l *Lab) Kubeconfig() ([]byte, error) {
	b, err := os.ReadFile(l.KubeconfigFile())
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of lab %s: %w", l.Name(), err)
	}
	return b, nil
}
