// Package calibration says what an A/A campaign, of one variant under two
// names, tells about a cluster and its machine: how far differences scatter
// where there is no difference, whether the tests raise false alarms, the
// smallest effects that so many blocks find at that noise, and what fits into
// a budget of time. It is pure: the same results give the same Calibration.
//
// Noise is that of the paired differences of the blocks, on their scale: of
// ln(B/A) for a ratio, which for small values is a fraction, and of B − A in
// the metric's unit otherwise. Effects are shown as reports do: a ratio's is a
// fraction of the value. What could not be had is absent and says why.
package calibration
