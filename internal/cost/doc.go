// Package cost says what a network plugin costs in a cluster of the user's: the
// nodes, the CPU and the memory that it takes of them, a penalty for latency
// above a promise, operation and energy, at prices that stand in a file with
// their sources. It is pure: figures and prices in, structs and text out.
//
// A cost is linear in the number of nodes and in the volume of requests, so
// that each block of a campaign gives a line. Sums, savings and the sizes from
// which one variant is the cheaper are estimated over the blocks' lines by the
// estimators of package stats; no interval is propagated by a formula. What was
// not measured is no term of a sum, and the sum says so.
//
// The model and the default prices are those of a published calculator
// (docs/seeds.md, document 003), whose own input ParseEntries reads.
package cost
