package lab

import (
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
	"github.com/cnibench/cnibench/internal/lab/node"
)

// createGroups makes the control groups of a lab and its nodes. Kubelet makes
// those of the pods below a node's.
func createGroups(groups cgroup.Hierarchy, lab string, nodes []node.Node) error {
	if err := groups.Create(lab + "/supervisor"); err != nil {
		return err
	}
	for _, n := range nodes {
		for _, leaf := range append(serviceGroups(n), n.Cgroup+"/init", execGroup(n.Cgroup)) {
			if err := groups.Create(leaf); err != nil {
				return err
			}
		}
	}
	return nil
}

func serviceGroups(n node.Node) []string {
	var groups []string
	for _, s := range n.Services {
		groups = append(groups, s.Cgroup)
	}
	return groups
}

// execGroup is where commands run that a user or a measurement starts in a
// node.
func execGroup(nodeGroup string) string { return nodeGroup + "/exec" }

// makeNodeDir makes the directories of a node and lays its files out.
func makeNodeDir(n node.Node, f files) error {
	for _, dir := range []string{"upper", "work", "root"} {
		if err := os.MkdirAll(filepath.Join(n.Dir, dir), 0o755); err != nil {
			return err
		}
	}
	return f.write(filepath.Join(n.Dir, "upper"))
}
