package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Bench is what a trial works with: a cluster that runs a variant, the load
// pods in it, and a directory for the evidence.
type Bench struct {
	Cluster *cluster.Cluster
	Entry   cni.Entry
	Stage   *Stage
	Raw     string
	// Installation is how the variant came into the cluster.
	Installation Installation

	// observe is told of what was sampled in a trial; nil: nobody asks.
	observe func(map[string]sample.Summary)
}

// keep writes evidence as it is.
func (b *Bench) keep(name string, data []byte) error {
	if err := os.WriteFile(filepath.Join(b.Raw, name), data, 0o644); err != nil {
		return fmt.Errorf("keeping evidence: %w", err)
	}
	return nil
}

// keepJSON writes evidence as indented JSON.
func (b *Bench) keepJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("keeping evidence %s: %w", name, err)
	}
	return b.keep(name, append(data, '\n'))
}
