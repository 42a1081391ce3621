// Package node is what runs inside the lab: the supervisor that owns the
// switch, pid 1 of every node, and the pause process of every pod. It is
// linked into cnibench-node, a static program without Kubernetes libraries.
//
// The supervisor has a PID namespace of its own and every node's PID namespace
// is a child of it. Killing the supervisor therefore ends everything in the
// lab at once, and with the last process the kernel frees its network
// namespaces, interfaces and mounts: nothing is left to forget.
package node
