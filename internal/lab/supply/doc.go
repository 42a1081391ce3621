// Package supply gets every binary that the embedded Kubernetes needs, from
// pinned Go modules and Debian packages, into a cache. Each step of it is
// keyed by its recipe, built once, and put in place whole or not at all, so
// that crashes, interrupts and concurrent runs do no harm.
package supply
