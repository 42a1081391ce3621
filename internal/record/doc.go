// Package record is `cnibench record` but for what happens while the command
// runs, which package recording does in a small program: what the user may
// ask for, and what becomes of the file of a recording: exports in OpenMetrics
// and a summary to read.
package record
