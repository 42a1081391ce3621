// Package tables reads how full a node's tables of connections are: the
// kernel's own, nf_conntrack, and maps that a plugin's eBPF programs pin. It
// knows no plugin: which maps, its caller says. What parses and compares is
// pure.
package tables
