// Package scenario holds what can be measured: one file per scenario, which
// registers itself. A scenario says what pods it needs, what load runs between
// them, and which metrics come out; it plays on what package stage has.
package scenario
