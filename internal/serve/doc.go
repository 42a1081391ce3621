// Package serve shows results to a browser on this machine while they are
// measured: the report of a campaign, which fills as its journal grows, and a
// list of the campaigns in a directory.
//
// It only reads, and it trusts neither the files nor the pages of others that
// may run in the same browser:
//
//	server.go     what is served where, until it is told to stop
//	guard.go      which requests are answered, and what an answer may do
//	folder.go     opening directories: regular files in them, and nothing else
//	campaign.go   one campaign: when it changed, its page, how far it is
//	status.go     how far it is, in words; pure
//	remaining.go  how long the rest may take; pure
//	live.go       what a report gets besides: a bar and a script
//	events.go     telling pages that something changed
//	overview.go   the list of campaigns, and two of them compared
//	evidence.go   the files below raw/ that the journal names
//	priority_…    what else runs on this machine goes first
//
// The report itself is the caller's, who knows the catalog.
package serve
