// Package gate decides whether results may pass: per variant and metric it is
// shown that a change is less than the margin worse (pass), that it is more
// than the margin worse (regression), or neither (inconclusive). It is pure:
// analyses and a request in, a Result out, which its writers turn into text,
// JSON, JUnit and GitHub annotations.
//
// Three kinds of evidence exist. Against a base variant of the same campaign
// values are paired by block, or are independent samples where the campaign was
// imported without blocks. Against a baseline, another campaign, the values of
// the same variant are two independent samples. Against a limit every block is
// held to a number. All checks of one gate are one family for Holm's adjustment,
// those without a measurement included.
package gate
