// Package parameter describes what a user may set of a scenario: the name, the
// kind and the bounds of each parameter, how a value is written, and what a
// value means. A value has one canonical text, so that equal values are equal
// in plans, in cells' ids and in hashes. Everything here is pure.
package parameter
