// Package result is the results directory: what a campaign leaves on disk and
// how it is read back.
//
//	campaign.yaml       as the user wrote it
//	plan.json           what was to be measured
//	environment.json    what it was measured on
//	trials.jsonl        the journal: one line per attempt, appended and synced
//	raw/BLOCK/VARIANT/CELL/ATTEMPT/   the evidence of one attempt
//
// A [Dir] reads; a [Writer] holds the exclusive lock and writes. The journal
// is never rewritten: a line counts once its newline is on disk, so a crash at
// any moment loses at most the trial in flight.
package result
