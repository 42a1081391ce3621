// Package stats holds the estimators and tests of cnibench. It is pure:
// floats in, structs out, no I/O. What draws random numbers takes a seed, and
// the same seed gives the same result.
//
// # One test, one interval
//
// Everything said about a comparison comes from one test: the sign-flip
// permutation test of the Wilcoxon signed-rank statistic of d_i − m, where
// d_i are the within-block differences of two variants and m is the shift in
// question. Conditional on |d_i − m| every sign is a fair coin when the
// differences are symmetric about m, so the p-value is a count of coin
// patterns. Without equal differences the ranks are 1..n and this is the exact
// Wilcoxon test; with equal differences they are midranks and it is the
// permutation test. Twice a midrank is a whole number, so the count is exact
// by dynamic programming at any n, and nothing has to be sampled.
//
// The printed interval is the set of shifts which that test does not reject.
// Each signed rank can only fall as m grows, hence the p-value of "the shift
// is at most m" can only grow, and the set is an interval whose ends are Walsh
// averages (d_i + d_j)/2. Test and interval therefore always agree: "at most
// m" is rejected if and only if m lies below the whole interval. To make this
// hold at the ends too, where d − m has zeros or opposite ties, "at most m" is
// tested immediately above m and "at least m" immediately below it: a
// difference equal to m never counts as evidence against the hypothesis. The
// p-value is a little larger for it, never too small.
//
// Independent samples are treated in the same way: one Mann–Whitney test of
// b − a against m, immediately above m, whose p-value counts the ways to deal
// the pooled values to two sides, and the interval of the shifts that it does
// not reject, whose ends are differences of two values.
//
// # What is missing
//
// A quantity that a sample is too small for is marked absent with a reason;
// its numbers are then infinite or not a number, which no comparison takes for
// evidence. An error is returned for input that is not a sample at all: no
// values, or values that are not finite.
//
// References: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods,
// 3rd ed. 2014, chapter 3; Hodges and Lehmann, Ann. Math. Stat. 34 (1963) 598;
// Pratt, JASA 54 (1959) 655 (zeros); Mann and Whitney, Ann. Math. Stat. 18
// (1947) 50.
package stats
