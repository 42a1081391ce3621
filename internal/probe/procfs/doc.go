// Package procfs reads the text files of the kernel, in procfs, sysfs and
// control groups: fields of lines without allocations, and files that stay
// open to be read again and again.
package procfs
