package campaign

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// variantsFit reports variants that the cluster cannot run.
func (d *decoder) variantsFit(arms []arm, c Cluster) {
	var installed *arm // the first variant that has to be installed
	for i := range arms {
		if !arms[i].info.None {
			installed = &arms[i]
			break
		}
	}
	for _, a := range arms {
		switch {
		case a.info.Present && c.Lab != nil:
			d.Report(a.node, a.Entry+" measures the plugin that a cluster has, and a lab starts without any",
				"remove it, or measure a cluster of yours: cluster: {existing: {}}")
		case c.Existing == nil:
		case !a.info.None && !c.Existing.AllowCNIChange:
			d.Report(a.node, fmt.Sprintf("%s has to be installed, and the existing cluster's network plugin may not be changed", a.Entry),
				"write allowCNIChange: true below existing if cnibench may install and remove plugins there, or measure only host and installed")
		case a.info.Present && c.Existing.AllowCNIChange && installed != nil:
			d.Report(a.node, fmt.Sprintf("%s and %s (line %d) cannot share an existing cluster: the plugin that is there would have to go",
				a.Entry, installed.Entry, installed.node.Line),
				"measure them in two campaigns, or on clusters of their own: cluster: {command: …}")
		}
	}
}

// freshCluster reads whether every variant gets a new cluster in every block.
// Nobody can make a new one of a cluster that exists.
func (d *decoder) freshCluster(n *yaml.Node, c Cluster, into *bool) {
	*into = c.Existing == nil
	if n == nil || !d.Boolean(n, "freshCluster", into) {
		return
	}
	if *into && c.Existing != nil {
		d.Report(n, "freshCluster is true, and an existing cluster cannot be made anew",
			"remove it, or let programs of yours make clusters: cluster: {command: {up: …, down: …, kubeconfig: …}}")
	}
}
