// Package stage is where a load is played. A [Stage] keeps load pods in a
// cluster and Services in front of them, proves that they are where they are to
// be and that a path leads to them, and lays a variant's overlay over them. A
// [Bench] is a stage with what one trial needs besides: sessions with the probe
// in pods and on nodes, samples of the machines and what they tell, pinning to
// CPUs, round trips at network cards, the plugin's own counters, and a directory
// for the evidence. What is played there, scenarios decide.
package stage
