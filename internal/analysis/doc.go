// Package analysis turns a plan and its journal into estimates, comparisons
// and verdicts, by the rules of docs/methodology.md section 4. It is pure: the same
// plan, trials and environment give the same Analysis.
//
// The sample is the block. Variants of one campaign are compared within blocks,
// unless it was imported without any; two campaigns are compared as independent
// samples. A block that lacks a value of either variant is left out of that pair
// and of no other.
// Verdicts of the primary family, which the plan declared before anything was
// measured, are adjusted by Holm; all other comparisons are exploratory and
// say so.
package analysis
