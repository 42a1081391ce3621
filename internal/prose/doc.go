// Package prose lays out what people read at a terminal: paragraphs, counts and
// signed numbers. It is pure.
package prose
