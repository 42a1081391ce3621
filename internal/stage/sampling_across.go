package stage

import (
	"strings"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// beyondMark ends the names of nodes in the peer's cluster: both clusters may
// have nodes of one name.
const beyondMark = "@peer"

// Reaching returns the bench for a load with pods in the peer's cluster too:
// the machines of both are sampled.
func (b *Bench) Reaching(pods ...cluster.Pod) *Bench {
	within := *b
	within.beyond = pods
	return &within
}

// joined are the probes of two clusters: one that sees the control groups of
// both samples them all.
func (b *Bench) joined(here, there []sampler) []sampler {
	if b.Cluster.SeesGroupsOf(b.Peer.Cluster) && len(here) == 1 {
		for _, s := range there {
			for name, paths := range s.groups {
				here[0].groups[name] = append(here[0].groups[name], paths...)
			}
		}
		return here
	}
	for _, s := range there {
		s.name += beyondMark
		here = append(here, s)
	}
	return here
}

// ownKernels is the key of summaries each of which is of a kernel of its own.
const ownKernels = ""

// byKernel sorts summaries by the kernels that nodes share.
func (b *Bench) byKernel(summaries map[string]sample.Summary) map[string]map[string]sample.Summary {
	all := map[string]map[string]sample.Summary{}
	for name, s := range summaries {
		c := b.Cluster
		if strings.HasSuffix(name, beyondMark) {
			c = b.Peer.Cluster
		}
		kernel := ownKernels
		if c.SharedKernel() {
			kernel = c.Kernel()
		}
		if all[kernel] == nil {
			all[kernel] = map[string]sample.Summary{}
		}
		all[kernel][name] = s
	}
	return all
}
