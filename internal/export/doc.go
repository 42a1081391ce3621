// Package export writes a results directory for programs that other people
// have. It reads files and gives the same bytes for the same files, anywhere.
//
// OpenMetrics is for time series databases. Every value of a trial is a sample
// at the end of its window; what the analysis made of all trials are samples
// at the end of the campaign, so that a dashboard shows the report's numbers.
// An attempt without a result has a status with its reason and no value.
//
// Every series has the labels
//
//	campaign   its name
//	plan       the first twelve digits of the plan's hash
//	run        when it began, which tells two runs of one plan apart
//
// and those of its kind: variant, cell, scenario, block, attempt and status of
// a trial, metric and unit of a value.
package export
