// Package run executes a plan: it brings clusters up, gives every variant its
// turn in every block, and journals each attempt before it goes on. What goes
// wrong becomes a trial's status; the rest of the campaign continues.
package run
