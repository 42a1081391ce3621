package policy

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// HTTPKind is the kind of policies on HTTP requests; its API is Cilium's.
const (
	HTTPAPI  = "cilium.io/v2"
	HTTPKind = "CiliumNetworkPolicy"
)

// HTTPPort is where the server speaks HTTP; AllowedPath is what the client may
// get of it by the matrix's policy, DeniedPath is another.
const (
	HTTPPort    = 7015
	AllowedPath = "/allowed"
	DeniedPath  = "/denied"
)

// HTTP lets the client send GET requests for one path to a port of the server,
// and nobody anything else.
func (s Subject) HTTP(name string, port int, path string) *unstructured.Unstructured {
	labels := map[string]any{}
	for key, value := range maps.All(s.Labels) {
		labels[key] = value
	}
	matching := func(name string) map[string]any {
		return map[string]any{"matchLabels": map[string]any{app: name}}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": HTTPAPI, "kind": HTTPKind,
		"metadata": map[string]any{"name": name, "namespace": s.Namespace, "labels": labels},
		"spec": map[string]any{
			"endpointSelector": matching(s.Server),
			"ingress": []any{map[string]any{
				"fromEndpoints": []any{matching(s.Client)},
				"toPorts": []any{map[string]any{
					"ports": []any{map[string]any{"port": fmt.Sprint(port), "protocol": "TCP"}},
					"rules": map[string]any{"http": []any{map[string]any{"method": "GET", "path": path}}},
				}},
			}},
		},
	}}
}
