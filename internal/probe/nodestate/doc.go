// Package nodestate knows what is on a node that a network plugin may have put
// there: links, routes, packet filters, files, BPF programs. It reads a node's
// state, says how two states differ, and takes away what a removed plugin left.
// What differs and what has to go are pure functions of states.
package nodestate
