// Package cluster is what cnibench can do with a Kubernetes cluster, whoever
// runs it: apply and wait for objects, run programs in pods and on nodes,
// look at health. Providers make clusters: the lab is one.
package cluster
