package lab

import (
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
	"github.com/cnibench/cnibench/internal/lab/node"
)

// createGroups makes the control groups of a lab and its nodes. Those of a
// node's services are made by its pid 1, those of pods by kubelet.
func createGroups(groups cgroup.Hierarchy, lab string, nodes []node.Node) error {
	if err := groups.Create(lab + "/supervisor"); err != nil {
		return err
	}
	for _, n := range nodes {
		if err := groups.Create(n.Cgroup); err != nil {
			return err
		}
	}
	return nil
}

// makeNodeDir makes the directories of a node and lays its files out.
func makeNodeDir(n node.Node, f files) error {
	for _, dir := range []string{"upper", "work", "root"} {
		if err := os.MkdirAll(filepath.Join(n.Dir, dir), 0o755); err != nil {
			return err
		}
	}
	return f.write(filepath.Join(n.Dir, "upper"))
}
