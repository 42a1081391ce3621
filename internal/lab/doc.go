// Package lab runs a real multi-node Kubernetes on one Linux machine: etcd,
// API server, controller manager and scheduler in a control plane node, and
// kubelet, kube-proxy, containerd and runc in every worker, joined by a bridge.
// Nodes are sets of namespaces; nothing touches the machine's own network, and
// nothing stays behind when a lab ends.
//
// The package starts and ends clusters and knows nothing of network plugins:
// package cni installs those through the Kubernetes API.
package lab
