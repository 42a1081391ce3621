package cluster

import (
	"strconv"
	"strings"
)

// Pinned returns the cluster with the programs that are run in a pod bound to
// CPUs of its node; where cpusOf gives none they are free. The program that
// binds them is cnibench-probe, which every image for load has.
func (c *Cluster) Pinned(cpusOf func(Pod) []int) *Cluster {
	pinned := *c
	pinned.cpusOf = cpusOf
	return &pinned
}

// pin puts the program before argv that binds it to its CPUs.
func (c *Cluster) pin(pod Pod, argv []string) []string {
	if c.cpusOf == nil {
		return argv
	}
	cpus := c.cpusOf(pod)
	if len(cpus) == 0 {
		return argv
	}
	list := make([]string, len(cpus))
	for i, cpu := range cpus {
		list[i] = strconv.Itoa(cpu)
	}
	return append([]string{probeProgram, "pinned", strings.Join(list, ",")}, argv...)
}
