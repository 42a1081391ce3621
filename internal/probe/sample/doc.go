// Package sample reads the state of a node once a second or so, as counters of
// the kernel and of control groups, and sums up what happened in a window of
// time. Parsing and summing are pure and build everywhere; [Sampler] reads a
// Linux machine.
package sample
