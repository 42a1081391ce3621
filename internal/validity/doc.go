// Package validity decides whether a block of a campaign was measured under
// conditions that spoil it (docs/methodology.md section 1). Its rules are data
// of the plan, fixed before anything is measured. They look at what the
// machines went through and at nothing that a variant reached, so that no
// result decides whether it counts.
package validity
