package cluster

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UnknownProxy says that it could not be found out how Services are carried.
const UnknownProxy = "unknown"

// proxyRules look for kube-proxy's own chains and tables on a node.
const proxyRules = `if nft list tables 2>/dev/null | grep -q kube-proxy; then echo nftables
elif { iptables-nft-save -t nat; iptables-legacy-save -t nat; } 2>/dev/null | grep -q KUBE-SVC; then echo iptables
else echo none; fi`

// detectKubeProxy finds out how Services are carried: kube-proxy itself says
// so; else its rules do; and where it is neither deployed nor has rules there
// is none.
func (m *existingMachines) detectKubeProxy(ctx context.Context) string {
	node := m.ends[0]
	// Its metrics server, on by default, on loopback.
	mode, err := m.output(ctx, node, "wget", "-q", "-T", "2", "-O", "-", "http://127.0.0.1:10249/proxyMode")
	if mode = strings.TrimSpace(mode); err == nil && isProxyMode(mode) {
		return mode
	}
	rules, err := m.output(ctx, node, "sh", "-c", proxyRules)
	if err != nil {
		return UnknownProxy
	}
	if rules = strings.TrimSpace(rules); rules != "none" {
		return rules
	}
	_, err = m.cluster.kube.AppsV1().DaemonSets(metav1.NamespaceSystem).Get(ctx, "kube-proxy", getOptions)
	if apierrors.IsNotFound(err) {
		return "none"
	}
	return UnknownProxy // it is deployed, and nothing shows of it
}

func isProxyMode(mode string) bool {
	switch mode {
	case "iptables", "ipvs", "nftables", "kernelspace", "userspace":
		return true
	}
	return false
}
