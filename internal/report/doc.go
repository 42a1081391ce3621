// Package report writes an analysis for people and for programs: as text for a
// terminal, as Markdown, as one HTML file, as JSON and as CSV. The same input
// gives the same bytes.
//
// The HTML file needs nothing but itself: no script, no font, no picture is
// fetched, and the charts are SVG drawn here. It goes through html/template
// because names and reasons come from campaign files and logs, and escaping
// each by context is not a thing to do by hand; charts are the one part that
// is built as markup, by package figure, which escapes all text.
package report
