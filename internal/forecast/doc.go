// Package forecast says of a plan, before anything runs, what it is likely to
// find at a given noise and how long it takes. It is pure: the same plan and
// noise give the same forecast, as simulations are seeded by the plan's seed.
//
// Noise is the standard deviation of the paired differences of two variants
// that are the same, on the scale of the differences: of ln(B/A) for a ratio,
// which for small values is a fraction, and of B − A in the metric's unit
// otherwise. It is taken to be normal.
package forecast
