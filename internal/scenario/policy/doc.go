// Package policy makes NetworkPolicies, and the policies on HTTP requests that
// Cilium has, from a description of their shape. It is pure: it touches no
// cluster. A [Subject] says which pods are meant.
package policy
