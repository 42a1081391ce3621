// Package truth holds the sampler against other accounts of the same machine
// in the same seconds: control groups, getrusage(2) of the processes, and BPF
// programs at every softirq and every switch of tasks. It is tests only (build
// tag e2e, root; make e2e-probe), and no program imports it.
package truth
