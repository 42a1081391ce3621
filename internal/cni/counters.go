package cni

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/cnibench/cnibench/internal/cluster"
)

const (
	// counterTimeout bounds the reading of one endpoint: it only adds to a trial.
	counterTimeout = 5 * time.Second
	// counterBytes bounds what an endpoint may say. Cilium's says some 200 kB.
	counterBytes = 16 << 20
)

// CounterSource is one endpoint of an agent, read once.
type CounterSource struct {
	Node, Pod, UID string
	Port           int
	At             time.Time // when its answer was complete
	Text           []byte    // as it answered
	Families       CounterFamilies
	Err            error // why it was not read
}

// CounterFamilies are the metrics of an answer, by name.
type CounterFamilies map[string]*dto.MetricFamily

// Name says which source it is, for people.
func (s CounterSource) Name() string { return fmt.Sprintf("%s on %s, port %d", s.Pod, s.Node, s.Port) }

// Counted tells whether the catalog names any metric of the variant's agents.
func (c Counters) Counted() bool { return len(c.Drops)+len(c.Pressure)+len(c.Others) > 0 }

// ReadCounters reads what the variant's agents on some nodes say of themselves,
// from inside each node, so that neither the network of pods nor a firewall is
// in the way. A source that cannot be read carries its error.
func ReadCounters(ctx context.Context, c *cluster.Cluster, e Entry, nodes []string) ([]CounterSource, error) {
	sources, addresses, err := counterSources(ctx, c, e, nodes)
	if err != nil {
		return nil, err
	}
	// One after the other: together they would take the CPU from what follows.
	for i, s := range sources {
		endpoint := e.Plugin.Counters.endpoint(s.Port)
		text, err := getThrough(ctx, onNode(c, s.Node), endpoint, addresses[i]...)
		s.At, s.Text = time.Now().UTC(), text
		if err == nil {
			s.Families, err = ParseCounters(text)
		}
		s.Err = err
		sources[i] = s
	}
	return sources, nil
}

func (c Counters) endpoint(port int) Endpoint {
	i := slices.IndexFunc(c.Metrics, func(m Endpoint) bool { return m.Port == port && m.Role == dataplane })
	return c.Metrics[i]
}

// counterSources lists the endpoints of the pods on nodes, and the addresses at
// which each is looked for. Pods that share their node's network share its
// ports: the first by the catalog's order has the endpoint.
func counterSources(ctx context.Context, c *cluster.Cluster, e Entry, nodes []string) ([]CounterSource, [][]string, error) {
	only := e
	only.Agents = slices.DeleteFunc(slices.Clone(e.Agents), func(a AgentPods) bool { return a.Role != dataplane })
	pods, err := Agents(ctx, c, only)
	if err != nil {
		return nil, nil, err
	}
	var sources []CounterSource
	var addresses [][]string
	seen := map[string]bool{}
	for _, p := range pods {
		if !slices.Contains(nodes, p.Node) {
			continue
		}
		for _, endpoint := range e.Plugin.Counters.Metrics {
			address := net.JoinHostPort(p.IP, strconv.Itoa(endpoint.Port))
			if endpoint.Role != dataplane || seen[address] {
				continue
			}
			seen[address] = true
			at := []string{address}
			if p.HostNetwork {
				at = append(at, net.JoinHostPort("127.0.0.1", strconv.Itoa(endpoint.Port)))
			}
			sources = append(sources, CounterSource{Node: p.Node, Pod: p.Name, UID: p.UID, Port: endpoint.Port})
			addresses = append(addresses, at)
		}
	}
	return sources, addresses, nil
}

// getThrough asks an endpoint by way of a probe.
func getThrough(ctx context.Context, run runner, e Endpoint, addresses ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, counterTimeout)
	defer cancel()
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return relay(ctx, run, addresses...), nil },
		// Agents sign their certificates themselves, and are asked on their own node.
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true, DisableCompression: true,
	}
	defer transport.CloseIdleConnections()
	scheme, path := "http", e.Path
	if e.TLS {
		scheme = "https"
	}
	if path == "" {
		path = "/metrics"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+addresses[0]+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/plain;version=0.0.4")
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", request.URL, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, counterBytes+1))
	if err == nil && len(text) > counterBytes {
		err = fmt.Errorf("it answers with more than %d bytes", counterBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", request.URL, err)
	}
	return text, nil
}

// ParseCounters reads Prometheus' text format, version 0.0.4.
func ParseCounters(text []byte) (CounterFamilies, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading its metrics: %w", err)
	}
	return families, nil
}
