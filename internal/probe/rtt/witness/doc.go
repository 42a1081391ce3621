// Package witness finds the round-trip times of TCP connections a second way,
// for tests to hold against those that eBPF programs counted: from a packet
// socket on the same device, by the kernel's timestamps of the same packets.
// It reads frames and matches timestamps with code of its own.
package witness
