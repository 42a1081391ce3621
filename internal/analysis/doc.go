// Package analysis turns a plan and its journal into estimates, comparisons
// and verdicts, by the rules of docs/methodology.md section 4. It is pure: the same
// plan, trials and environment give the same Analysis.
//
// The sample is the block. Two variants are compared within blocks only: a
// block that lacks a value of either is left out of that pair and of no other.
// Verdicts of the primary family, which the plan declared before anything was
// measured, are adjusted by Holm; all other comparisons are exploratory and
// say so.
package analysis
