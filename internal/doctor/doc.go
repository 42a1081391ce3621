// Package doctor says whether a cluster, or a machine for labs, is fit to be
// measured: one small pure function per check over a [Snapshot] of what was
// found. Package examination takes the snapshot.
//
// What nobody could find out is [Unknown] with the reason, and never [OK].
package doctor
