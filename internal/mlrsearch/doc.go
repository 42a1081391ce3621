// Package mlrsearch finds the highest loads at which a network loses no more
// than given shares of what it is offered: the non-drop rate (NDR, loss ratio
// 0), partial drop rates (PDR), or any others, in one search. It is the
// controller of MLRsearch (Multiple Loss Ratio search,
// draft-ietf-bmwg-mlrsearch-15, RFC 9971): a pure state machine that names the
// next trial and is told its outcome, or asks a [Measurer]. It touches no
// machine and no clock, so that the same outcomes give the same search.
//
// # What is the document's and what is ours
//
// Which loads are lower and upper bounds ([Goal.Classify]), what the relevant
// bounds are, and the conditional throughput follow the document to the
// letter. Which load is tried next is left to implementations; ours takes from
// the one of FD.io CSIT:
//
//   - loads lie on a geometric grid whose step is the narrowest goal's width,
//     so that trials meet at the same loads again and the search is finite;
//   - each goal is approached by coarse targets with shorter trials and wider
//     widths before its own (see [Config]);
//   - the first loads are the highest one and the rate that came through it;
//   - bounds are looked for in growing steps near where the last target found
//     them, then by halving; smaller loads first;
//   - goals of lower loss first, and every goal uses every trial.
//
// # Ends
//
// A goal's result is regular when its relevant bounds are no further apart
// than its width. It is irregular, and says so, when the highest load is still
// good enough, when the lowest one already is not, or when the budget of time
// is used up. A bound that does not exist is absent; it is never 0.
package mlrsearch
