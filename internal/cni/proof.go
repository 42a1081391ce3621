package cni

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
)

// Proof is what was shown of a datapath before anything is measured on it.
type Proof struct {
	At      time.Time
	Took    time.Duration
	Entry   Entry
	LinkMTU int // bytes
	Reached []string
	MTU     probe.PathMTU
	Second  *probe.PathMTU    // by the pods' second addresses; nil: they have none
	Wire    *Wire             // nil: not looked at
	Policy  string            // what a deny-all NetworkPolicy did; empty: not tried
	Skipped map[string]string // parts that cannot be proven here, with the reason
}

// ProofError says that a variant's datapath is not what it is said to be. What
// would be measured on it would be something else.
type ProofError struct {
	Part     string // "reach", "path MTU", "Service", "wire", "NetworkPolicy"
	Err      error
	Evidence []string // files
}

func (e *ProofError) Error() string {
	text := fmt.Sprintf("proving the datapath: %s: %v", e.Part, e.Err)
	if len(e.Evidence) > 0 {
		text += " (see " + strings.Join(e.Evidence, ", ") + ")"
	}
	return text
}

func (e *ProofError) Unwrap() error { return e.Err }

func (p *Proof) skip(part, reason string) {
	if p.Skipped == nil {
		p.Skipped = map[string]string{}
	}
	p.Skipped[part] = reason
}

// Facts are for the record of how a variant really ran.
func (p Proof) Facts() map[string]string {
	facts := map[string]string{
		"proven at": p.At.Format(time.RFC3339), "reached across nodes": strings.Join(p.Reached, ", "),
		"path MTU": strconv.Itoa(p.pathMTU()), "link MTU": strconv.Itoa(p.LinkMTU),
		"route MTU": strconv.Itoa(p.MTU.Route), "interface MTU": strconv.Itoa(p.MTU.Device),
		"largest packet that passed": strconv.Itoa(p.MTU.Bytes),
	}
	if p.Wire != nil {
		maps.Copy(facts, p.Wire.facts())
	}
	if p.Second != nil {
		facts["path MTU of second addresses"] = fmt.Sprintf("%d (the route says %d)", p.Second.Bytes, p.Second.Route)
	}
	if p.Policy != "" {
		facts["NetworkPolicy"] = p.Policy
	}
	for part, reason := range p.Skipped {
		facts[part] = "skipped: " + reason
	}
	return facts
}

// pathMTU is what a pod's connections get: its kernel does not send more than
// the route says, and more than what passes does not arrive.
func (p Proof) pathMTU() int { return min(p.MTU.Route, p.MTU.Bytes) }

// Summary says it in one line for people.
func (p Proof) Summary() string {
	parts := []string{strings.Join(p.Reached, " and ") + " across nodes", p.mtuSummary()}
	if p.Wire != nil {
		parts = append(parts, p.Wire.summary())
	}
	if p.Policy != "" {
		parts = append(parts, "NetworkPolicy "+p.Policy)
	}
	for _, part := range slices.Sorted(maps.Keys(p.Skipped)) {
		parts = append(parts, part+" skipped ("+p.Skipped[part]+")")
	}
	return "proven: " + strings.Join(parts, ", ")
}

func (p Proof) mtuSummary() string {
	if e := p.Entry.Encapsulation; e.Bytes != 0 {
		return fmt.Sprintf("path MTU %d (link %d, %s %d)", p.pathMTU(), p.LinkMTU, protocolOf(e), e.Bytes)
	}
	return fmt.Sprintf("path MTU %d (link %d)", p.pathMTU(), p.LinkMTU)
}
