// Package probe is the code that runs on nodes and in pods. It starts load
// processes, proves that addresses can be reached, and samples a node during
// a trial; the program cnibench-probe is a thin wrapper of [Main].
//
// The callers talk to it through stdin and stdout: a JSON specification on
// stdin's first line, and results in frames (see [WriteFrame]) that carry
// their length and checksum, so that output cut short on its way is noticed.
//
// What only parses or computes is pure and builds everywhere; what touches a
// machine builds on Linux only.
package probe
