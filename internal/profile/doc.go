// Package profile chooses a network plugin for a need. A profile says what
// counts for the need, and how much; a ranking says which variants of a
// campaign are best at that, how sure it is, what of it nobody measured, and
// which features they lack. It never names a winner that the noise could have
// made: variants that cannot be told apart are a group.
//
// It is pure: profiles are files that the caller has read or that the program
// carries, figures come from package analysis, and what the catalog knows of
// variants is passed in as plain values. docs/profiles.md says how the score is
// made and why.
package profile
