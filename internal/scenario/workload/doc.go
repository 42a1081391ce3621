// Package workload reads loads that users define: a YAML file says what runs
// in the two pods, which parameters there are, and which figures are in the
// output. Reading, filling in and evaluating are pure; package scenario runs
// it. docs/scenarios.md describes the file.
package workload
