// Package openmetrics writes the series of a probe as OpenMetrics text and
// reads that text back. It is no part of the probe's own program, which has
// no use for the libraries it takes.
package openmetrics
